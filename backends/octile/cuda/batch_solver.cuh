// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/batch_kernels.cuh>
#include <octile/cuda/batch_launches.cuh>
#include <octile/cuda/batch_shape.cuh>
#include <octile/cuda/edge_kernels.cuh>
#include <octile/leaf_product.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

namespace octile::cuda {

/// The native kernels for graphs that lie on a device, in float: they are laid out there, and edge kernels are evaluated wherever they
/// are met. Nothing is read back. Results of pairs that the kernels have no shape for are not written.
template <class Prepared, class Stored>
class BatchSolver : public BatchLayout<Prepared, Stored, Kokkos::Cuda> {
 public:
  /// Queues the solves, without a fence. `reciprocals` are 1/κv of each pair where its solution would begin; the edge kernel is a
  /// `LeafProduct` or a compile-time type over `Stored` labels.
  template <class EdgeKernel>
  void solve(const Kokkos::Cuda& space, const BatchWork& asked, const double* reciprocals,
             const EdgeKernel& edge_kernel) {
    if (asked.count == 0) return;
    const BatchTask<Stored> task{this->set(), this->capacity(), asked, reciprocals, this->q()};
    const auto edges = native_edges<Stored>(edge_kernel);
    if constexpr (std::is_same_v<EdgeKernel, LeafProduct>) {
      launch_batch(space, *launches_, task, edges);
    } else {
      launch_shapes(space, *launches_, task, edges);
    }
  }

 private:
  std::shared_ptr<BatchLaunches> launches_ = std::make_shared<BatchLaunches>();  ///< copies of a solver serve the same handle
};

}  // namespace octile::cuda
