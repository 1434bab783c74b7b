// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/engine.cuh>

#include <octile/base/to_memory.hpp>
#include <octile/cuda/device/launch.cuh>
#include <octile/cuda/layout/gaussian_factors.hpp>
#include <octile/cuda/start/basis.cuh>
#include <octile/cuda/start/projected_solve.cuh>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// How an engine makes the bases of its set's projected systems, and the terms of first products.
namespace octile::cuda {

/// Whether there are projected systems, with bases for these systems, which are formed on the first call.
bool Engine::has_bases(std::span<const RightHandSide> sides) {
  if (!projects()) return false;
  std::vector<RightHandSide> lacking;
  for (const RightHandSide side : sides) {
    bool& formed = side == RightHandSide::stopping ? has_bases_ : has_adjoint_bases_;
    if (!formed) lacking.push_back(side);
    formed = true;
  }
  if (!lacking.empty()) form_bases(lacking);
  return true;
}

/// Forms the bases for some systems: solves those of each graph's pair with itself to a rough tolerance, then forms bases and projections
/// from the solutions, of both systems beside each other, since graphs are few.
void Engine::form_bases(std::span<const RightHandSide> sides) {
  const BasisPairs based(plan_.set(), most_based);
  cudaFuncAttributes loaded{};  // asking for it loads the kernel, so that this is not timed below
  require_success(cudaFuncGetAttributes(&loaded, solve_projected), "octile::cuda::solve_projected");
  const std::size_t bytes = basis_bytes(based.most_vertices);
  allow_shared_memory(space_, reinterpret_cast<const void*>(form_basis), bytes);
  const auto graphs = detail::to_memory<Space::memory_space>(space_, "based_graphs", based.graphs);
  const std::vector<Part> parts = arrange(based.pairs, true);
  std::vector<std::size_t> begin_of_graph(plan_.set().vertices.size());
  for (std::size_t k = 0; k < based.pairs.size(); ++k) {
    begin_of_graph[static_cast<std::size_t>(list_.pairs(k).first)] = list_.begins(k);
  }
  const auto begins = detail::to_memory<Space::memory_space>(space_, "snapshot_begin", begin_of_graph);
  timed_ = false;
  form_reciprocals(based.pairs.size());
  grow(space_, solutions_, "solutions", sides.size() * solutions_length_);
  const double tolerance = plan_.sums_factors() ? precise_rough_tolerance : rough_tolerance;
  grow(space_, adjoint_results_, "adjoint_results", results_.extent(0));
  std::vector<Task> tasks;
  for (const RightHandSide side : sides) {
    double* const solutions = solutions_.data() + tasks.size() * solutions_length_;
    PairResult* const results = tasks.empty() ? results_.data() : adjoint_results_.data();
    tasks.push_back({side, solutions, {}, false, {tolerance, options_.max_iterations}, results});
  }
  solve(parts, tasks);
  timing().span.stop(space_.cuda_stream());
  basis_seconds_.start(space_.cuda_stream());
  streams_.fork(space_.cuda_stream(), tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    form_basis<<<static_cast<unsigned>(based.graphs.size()), basis_threads, bytes, streams_[t]>>>(
        projection_.view(tasks[t].right_hand_side), graphs.data(), tasks[t].solutions, begins.data());
    require_success(cudaGetLastError(), "launch of octile::cuda::form_basis");
  }
  streams_.join(space_.cuda_stream(), tasks.size());
  basis_seconds_.stop(space_.cuda_stream());
  space_.fence("octile::cuda::form_bases");  // the arrays that the kernels read are freed on return
  timing().of_set += timing().span.seconds() + basis_seconds_.seconds();
}

/// Forms the terms of first products of both systems, with a fence, if there are pairs whose kernels read them.
void Engine::form_first_terms() {
  if (!plan_.largest_in_memory()) return;
  const std::optional<GaussianFactors> factors = factors_for_first(plan_.set(), vertex_table_.count);
  constexpr std::size_t share = 16;  // of the memory
  if (factors) memory_ -= kernels_->form_first_terms(space_, *factors, vertex_table_, memory_ / share);
}

}  // namespace octile::cuda
