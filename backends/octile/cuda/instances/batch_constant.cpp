// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/batch_launcher.cuh>

namespace octile::cuda {

void BatchLauncher<Kokkos::Cuda>::launch_compiled(const Kokkos::Cuda& space, const Task<NoLabel>& task,
                                                  const FastConstant& edges) {
  launch_shapes(space, task, edges);
}

}  // namespace octile::cuda
