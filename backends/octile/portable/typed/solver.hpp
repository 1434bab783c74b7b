// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/pairs/runtime_vertex_kernel.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/solvers/pair_solver.hpp>
#include <octile/solvers/setup.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace octile::portable {

/// Where the vectors of a pair lie: in team scratch (on chip, on a GPU), or in work space.
enum class VectorPlace { scratch, workspace };

/// On a GPU, pairs of up to this many elements n·m get a warp and have their vectors on chip; larger ones get a team.
/// Five vectors of 32 × 32 floats are 20 KiB, so ten or more such teams fit on a multiprocessor.
inline constexpr std::size_t small_pair = 1024;

/// The most elements n·m of a pair whose vectors fit in team scratch besides the primitive's own. Kokkos gives a
/// team 40 KiB of a multiprocessor's shared memory, which is 2,000 elements in float.
template <class Scalar, class ExecutionSpace, class Xmv>
std::size_t most_in_scratch(const Xmv& xmv) {
  const auto all = static_cast<std::size_t>(Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0));
  const std::size_t taken = xmv.scratch_bytes() + 2 * TeamScratch::alignment;
  return all > taken ? (all - taken) / pair_bytes<Scalar, ExecutionSpace>(1) : 0;
}

/// One way to solve pairs of up to `largest` elements: a primitive and a place for the vectors.
template <class Xmv>
struct Tier {
  Xmv xmv;
  std::size_t largest;
  VectorPlace place;
};

/// An XMV that is the same for all pairs. (The naive one needs memory for matrices of the pairs, see `NaiveRoom`.)
template <class Xmv>
struct FixedXmv {
  Xmv xmv;
  int threads() const { return xmv.threads(); }
  /// Bytes that a pair takes besides its vectors.
  std::size_t pair_bytes(std::size_t, std::span<const Pair>) const { return 0; }
  template <class ExecutionSpace>
  Xmv make(const ExecutionSpace&, std::size_t /*slots*/, std::size_t /*elements*/, std::span<const Pair>) const {
    return xmv;
  }
};

/// The portable backend as a `PairSolver`: run-time kernels on one execution
/// space, with one of a few compile-time types for the edge kernel. Each pair goes
/// to the first tier that takes its size.
template <class ExecutionSpace, class Set, class EdgeKernel, class... Xmvs>
class Solver final : public PairSolver {
 public:
  using Scalar = typename Set::scalar_type;
  using MemorySpace = typename Set::memory_space;
  using VertexKernel = RuntimeVertexKernel<MemorySpace>;

  Solver(const ExecutionSpace& space, const SolverSetup& setup, Set set, VertexKernel vertex_kernel,
         EdgeKernel edge_kernel, std::size_t set_bytes, std::string description, Tier<Xmvs>... tiers)
      : space_(space),
        set_(std::move(set)),
        vertex_kernel_(std::move(vertex_kernel)),
        edge_kernel_(std::move(edge_kernel)),
        options_(setup.options),
        memory_(setup.memory - set_bytes),
        description_(std::move(description)),
        tiers_(TierState<Xmvs>{std::move(tiers), {}}...) {
    for (const Graph& graph : setup.graphs) vertices_.push_back(static_cast<std::size_t>(graph.vertex_count()));
  }

  std::size_t unknowns(Pair pair) const override {
    return vertices_[static_cast<std::size_t>(pair.first)] * vertices_[static_cast<std::size_t>(pair.second)];
  }
  Precision precision() const override {
    return std::is_same_v<Scalar, float> ? Precision::float32 : Precision::float64;
  }
  std::string description() const override { return description_; }

 private:
  void answer_to(const Request& request, const Answer& answer) override {
    std::vector<std::size_t> left(request.pairs.size());
    std::iota(left.begin(), left.end(), std::size_t(0));
    std::apply([&](auto&... tier) { (solve_tier(tier, request, answer, left), ...); }, tiers_);
  }

  template <class Xmv>
  struct TierState {
    Tier<Xmv> tier;
    std::optional<Workspace<Scalar, MemorySpace>> workspace;
  };

  /// Solves those pairs of `left` that the tier takes, and removes them from the list.
  template <class Xmv>
  void solve_tier(TierState<Xmv>& state, const Request& request, const Answer& answer, std::vector<std::size_t>& left) {
    const auto others = std::stable_partition(
        left.begin(), left.end(), [&](std::size_t k) { return unknowns(request.pairs[k]) <= state.tier.largest; });
    const std::span<const std::size_t> taken(left.begin(), others);
    for (std::size_t done = 0; done < taken.size();) {
      const std::size_t count = at_a_time(request, taken.subspan(done));
      run(state, request, answer, taken.subspan(done, count));
      done += count;
    }
    left.erase(left.begin(), others);
  }

  /// Whether solutions are left where they are asked for, and not in memory of the solver's own.
  static constexpr bool in_place = !fine_grained<ExecutionSpace>;

  /// How many of these pairs are solved together: all, or as many as have solutions that fit half of the memory.
  std::size_t at_a_time(const Request& request, std::span<const std::size_t> numbers) const {
    if (in_place || request.nodewise_begin.empty()) return numbers.size();
    std::size_t bytes = 0;
    std::size_t count = 0;
    while (count < numbers.size()) {
      bytes += unknowns(request.pairs[numbers[count]]) * sizeof(Scalar);
      if (count > 0 && bytes > memory_ / 2) break;
      ++count;
    }
    return count;
  }

  /// Solves these pairs by one launch.
  template <class Xmv>
  void run(TierState<Xmv>& state, const Request& request, const Answer& answer, std::span<const std::size_t> numbers) {
    const Tier<Xmv>& tier = state.tier;
    std::optional<Workspace<Scalar, MemorySpace>>& workspace = state.workspace;
    const bool nodewise = !request.nodewise_begin.empty();
    std::vector<Pair> pairs;
    std::vector<std::size_t> begin;
    std::size_t length = 0;
    pairs.reserve(numbers.size());
    for (const std::size_t k : numbers) {
      pairs.push_back(request.pairs[k]);
      if (!nodewise) continue;
      begin.push_back(in_place ? request.nodewise_begin[k] : length);
      if (!in_place) length += unknowns(pairs.back());
    }
    const Pair largest = *std::ranges::max_element(pairs, {}, [this](Pair pair) { return unknowns(pair); });
    const std::size_t elements = unknowns(largest);
    const bool in_scratch = tier.place == VectorPlace::scratch;
    const std::size_t room = in_scratch ? 0 : elements;
    const std::size_t slots = slots_for(tier.xmv, room, pairs, largest, length * sizeof(Scalar));
    const auto xmv = tier.xmv.make(space_, slots, elements, pairs);
    if (!workspace || workspace->elements() < room || workspace->slots() < slots) {
      workspace.reset();
      workspace.emplace(space_, room, slots);
    }
    const auto pairs_view = octile::detail::to_memory<MemorySpace>(space_, "pairs", pairs);
    const Kokkos::View<PairResult*, MemorySpace> results_view(
        Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, "octile::results"), pairs.size());
    Solutions<std::conditional_t<in_place, double, Scalar>, MemorySpace> solutions;
    using Values = decltype(solutions.values);
    solutions.right_hand_side = request.right_hand_side;
    if (nodewise) {
      if constexpr (in_place) {
        solutions.values = Values(answer.nodewise.data(), answer.nodewise.size());
      } else {
        solutions.values = Values(Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, "octile::nodewise"), length);
      }
      solutions.begin = octile::detail::to_memory<MemorySpace>(space_, "nodewise_begin", begin);
    }
    SolveOptions options = options_;
    if (nodewise || request.right_hand_side == RightHandSide::starting) options.estimated_error = 0;
    {
      const Kokkos::Profiling::ScopedRegion region("octile::solve");
      workspace->start_over(space_);
      solve_from_next(space_, set_, vertex_kernel_, edge_kernel_, xmv,
                      Kokkos::View<const Pair*, MemorySpace>(pairs_view), results_view, *workspace, options,
                      in_scratch ? elements : 0, solutions);
    }
    std::vector<PairResult> results(pairs.size());
    Kokkos::deep_copy(space_, Kokkos::View<PairResult*, Kokkos::HostSpace>(results.data(), results.size()),
                      results_view);
    std::vector<Scalar> values(length);
    if constexpr (!in_place) {
      if (nodewise) {
        Kokkos::deep_copy(space_, Kokkos::View<Scalar*, Kokkos::HostSpace>(values.data(), values.size()),
                          solutions.values);
      }
    }
    space_.fence("octile::solve");
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      answer.results[numbers[k]] = results[k];
      if (!nodewise || in_place) continue;
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin[k]);
      std::copy_n(first, unknowns(pairs[k]), answer.nodewise.begin() + request.nodewise_begin[numbers[k]]);
    }
  }

  /// How many pairs run concurrently: as many as the space runs teams, but no more than fit the memory besides the solutions.
  template <class Xmv>
  std::size_t slots_for(const Xmv& xmv, std::size_t room, std::span<const Pair> pairs, Pair largest,
                        std::size_t solution_bytes) const {
    const std::size_t each = pair_bytes<Scalar, ExecutionSpace>(room) + xmv.pair_bytes(room, pairs);
    const std::size_t fit = plan::pairs_that_fit(each, memory_ - std::min(memory_, solution_bytes),
                                                 vertices_[static_cast<std::size_t>(largest.first)],
                                                 vertices_[static_cast<std::size_t>(largest.second)]);
    return std::min({concurrent_teams(space_, xmv.threads()), std::max<std::size_t>(pairs.size(), 256), fit});
  }

  ExecutionSpace space_;
  Set set_;
  VertexKernel vertex_kernel_;
  EdgeKernel edge_kernel_;
  SolveOptions options_;
  std::size_t memory_;  ///< bytes for work space
  std::string description_;
  std::vector<std::size_t> vertices_;
  std::tuple<TierState<Xmvs>...> tiers_;
};

/// An upper bound of the bytes of a set in octiles, as if every element had an octile of its own.
template <class Scalar, class EdgeLabel>
std::size_t octile_bytes(std::span<const Graph> graphs) {
  std::size_t bytes = 0;
  for (const Graph& graph : graphs) {
    const auto n = static_cast<std::size_t>(graph.vertex_count());
    const std::size_t elements = 2 * graph.edge_count();
    const auto rows = static_cast<std::size_t>(octile_count(graph.vertex_count()));
    bytes += elements * (sizeof(Scalar) + sizeof(EdgeLabel)) + std::min(elements, rows * rows) * sizeof(OctileHead) +
             n * (2 * sizeof(double) + sizeof(std::uint32_t)) + (rows + 2) * sizeof(std::uint32_t);
  }
  return bytes;
}

}  // namespace octile::portable
