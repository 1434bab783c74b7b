// SPDX-License-Identifier: BSD-3-Clause
// The native kernels of graphs in Views, for edge kernels that are a `LeafProduct`.
#include <octile/cuda/batches/launcher.cuh>

namespace octile::cuda {

void BatchLauncher<Kokkos::Cuda>::launch_compiled(const Kokkos::Cuda& space, const Task<NoLabel>& task,
                                                  const FastConstant& edges) {
  launch_shapes(space, task, edges);
}

void BatchLauncher<Kokkos::Cuda>::launch_compiled(const Kokkos::Cuda& space, const Task<float>& task,
                                                  const FastGaussian& edges) {
  launch_shapes(space, task, edges);
}

void BatchLauncher<Kokkos::Cuda>::launch_compiled(const Kokkos::Cuda& space, const Task<NumberAndCode>& task,
                                                  const FastProduct& edges) {
  launch_shapes(space, task, edges);
}

}  // namespace octile::cuda
