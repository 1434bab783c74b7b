// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/layout/batch_slices.hpp>
#include <octile/kernels/leaf_product.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace octile::cuda {

/// A solve of pairs of a batch that is laid out, with edge labels `Stored`.
template <class Stored, class ExecutionSpace>
struct BatchTask {
  const BatchSet<std::uint32_t, Stored, typename ExecutionSpace::memory_space>& set;
  const Capacity& capacity;
  const BatchWork& asked;
  const double* reciprocals;  ///< 1/κv of each pair where its solution would begin
  double q;
};

/// How an execution space launches the native kernels: it does not. One that does has
///
///     shapes                                  counters that a `BatchWork` needs
///     most_elements                           n·m of the largest pair that is solved
///     launch(space, task, edge_kernel)        queues the launches, without a fence. The edge kernel is a `LeafProduct` or a
///                                             compile-time type over `Stored` labels.
template <class ExecutionSpace>
struct BatchLauncher {};
template <class ExecutionSpace>
inline constexpr bool launches_batches = requires {
  BatchLauncher<ExecutionSpace>::shapes;
};

/// The native kernels for graphs that lie on a device, in float: they are laid out there, and edge kernels are evaluated wherever they
/// are met. Nothing is read back. Results of pairs that the kernels have no shape for are not written.
template <class Scalar, class Stored, class ExecutionSpace>
class BatchSolver {
 public:
  using Slices = BatchSlices<Scalar, Stored, ExecutionSpace>;
  using MemorySpace = typename Slices::MemorySpace;

  /// Whether there are shapes for most pairs of such graphs. What is left is solved without factors: of a much larger graph that would
  /// take longer than is saved.
  static bool suits(const Capacity& capacity) {
    constexpr std::size_t most_vertices = 512;
    const std::size_t largest = capacity.vertices_of_largest;
    const std::size_t usual = std::min(largest, capacity.vertices / std::max<std::size_t>(capacity.graphs, 1));
    return Slices::suits(capacity) && largest <= most_vertices &&
           usual * usual <= BatchLauncher<ExecutionSpace>::most_elements;
  }

  /// Counters that a `BatchWork` needs, and n·m of the largest pair that is solved.
  static int shapes() { return BatchLauncher<ExecutionSpace>::shapes; }
  static std::size_t most_elements() { return BatchLauncher<ExecutionSpace>::most_elements; }

  /// Takes memory. Throws what Kokkos throws, and is then as it was.
  void reserve(const ExecutionSpace& space, const Capacity& capacity) { slices_.reserve(space, capacity); }

  /// Queues the layout, without labels: `source` has the degrees and starting probabilities of the solves that follow.
  void lay_out(const ExecutionSpace& space, const BatchSource<Scalar, MemorySpace>& source) {
    q_ = source.q;
    capacity_ = source.capacity;
    slices_.lay_out(space, source);
  }
  LabelPlaces<ExecutionSpace> label_places() const { return slices_.label_places(); }
  WeightScale<MemorySpace> weight_scale() const { return {slices_.set().scales}; }

  /// Queues the solves, without a fence. `reciprocals` are 1/κv of each pair where its solution would begin.
  template <class EdgeKernel>
  void solve(const ExecutionSpace& space, const BatchWork& asked, const double* reciprocals,
             const EdgeKernel& edge_kernel) {
    if (asked.count == 0) return;
    launcher_->launch(space, BatchTask<Stored, ExecutionSpace>{slices_.set(), capacity_, asked, reciprocals, q_},
                      edge_kernel);
  }

 private:
  Slices slices_;
  Capacity capacity_{};
  double q_ = 1;
  std::shared_ptr<BatchLauncher<ExecutionSpace>> launcher_ =
      std::make_shared<BatchLauncher<ExecutionSpace>>();  ///< copies of a solver serve the same handle
};

}  // namespace octile::cuda
