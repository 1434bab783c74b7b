// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/batch_kernels.cuh>

namespace octile::cuda {

void launch_batch(const Kokkos::Cuda& space, BatchLaunches& launches, const BatchTask<float>& task,
                  const FastGaussian& edges) {
  launch_shapes(space, launches, task, edges);
}

}  // namespace octile::cuda
