// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/octile_set.hpp>
#include <octile/pair_solver.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/portable/solve.hpp>
#include <octile/runtime_kernel.hpp>
#include <octile/solver_setup.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace octile::portable {

/// Where the vectors of a pair lie: in team scratch (on chip, on a GPU), or in work space.
enum class VectorPlace { scratch, workspace };

/// Pairs of up to so many elements n·m get a warp, and their vectors on chip, on a GPU; larger ones a team. 32 × 32
/// and 5 vectors are 20 KiB in float: ten and more such teams fit a multiprocessor.
inline constexpr std::size_t small_pair = 1024;

/// The most elements n·m of a pair whose vectors a team has in scratch beside what the primitive takes. Kokkos gives a
/// team 40 KiB of a multiprocessor's shared memory: 2,000 elements in float.
template <class Scalar, class ExecutionSpace, class Xmv>
std::size_t most_in_scratch(const Xmv& xmv) {
  const auto all = static_cast<std::size_t>(Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0));
  const std::size_t taken = xmv.scratch_bytes() + 2 * TeamScratch::alignment;
  return all > taken ? (all - taken) / pair_bytes<Scalar>(1) : 0;
}

/// One way to solve a pair, for the pairs of up to `largest` elements: a primitive and a place for the vectors.
template <class Xmv>
struct Tier {
  Xmv xmv;
  std::size_t largest;
  VectorPlace place;
};

/// An XMV that is the same for all pairs. (The naive one needs room for its matrices, see portable_dense.hpp.)
template <class Xmv>
struct FixedXmv {
  Xmv xmv;
  int threads() const { return xmv.threads(); }
  /// Bytes beside the vectors that a pair takes.
  std::size_t pair_bytes(std::size_t, std::span<const Pair>) const { return 0; }
  template <class ExecutionSpace>
  Xmv make(const ExecutionSpace&, std::size_t /*slots*/, std::size_t /*elements*/, std::span<const Pair>) const {
    return xmv;
  }
};

/// The portable backend behind `PairSolver`: run-time kernels on one execution
/// space, with one of a few compile-time types for the edge kernel. Each pair goes
/// to the first of the tiers that takes its size.
template <class ExecutionSpace, class Set, class EdgeKernel, class... Xmvs>
class Solver final : public PairSolver {
 public:
  using Scalar = typename Set::scalar_type;
  using MemorySpace = typename Set::memory_space;
  using VertexKernel = RuntimeKernel<double, MemorySpace>;

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

  void solve(std::span<const Pair> pairs, std::span<PairResult> results) override {
    std::vector<std::size_t> left(pairs.size());
    std::iota(left.begin(), left.end(), std::size_t(0));
    std::apply([&](auto&... tier) { (solve_tier(tier, pairs, results, left), ...); }, tiers_);
  }

  PairResult solve_nodewise(Pair pair, std::vector<double>& nodewise) override {
    PairResult result;
    std::apply(
        [&](auto&... tier) {
          // The first that takes the pair: || ends the fold there.
          const auto takes = [&](auto& candidate) {
            if (size_of(pair) > candidate.tier.largest) return false;
            run(candidate, {&pair, 1}, {&result, 1}, &nodewise);
            return true;
          };
          static_cast<void>((takes(tier) || ...));
        },
        tiers_);
    return result;
  }

  std::string description() const override { return description_; }

 private:
  template <class Xmv>
  struct TierState {
    Tier<Xmv> tier;
    std::optional<Workspace<Scalar, MemorySpace>> workspace;
  };

  /// Solves those pairs of `left` that the tier takes, and leaves the others.
  template <class Xmv>
  void solve_tier(TierState<Xmv>& state, std::span<const Pair> pairs, std::span<PairResult> results,
                  std::vector<std::size_t>& left) {
    const auto others = std::stable_partition(left.begin(), left.end(),
                                              [&](std::size_t k) { return size_of(pairs[k]) <= state.tier.largest; });
    std::vector<Pair> mine;
    mine.reserve(static_cast<std::size_t>(others - left.begin()));
    for (auto k = left.begin(); k != others; ++k) mine.push_back(pairs[*k]);
    std::vector<PairResult> solved(mine.size());
    run(state, mine, solved, nullptr);
    for (std::size_t k = 0; k < solved.size(); ++k) results[left[k]] = solved[k];
    left.erase(left.begin(), others);
  }

  template <class Xmv>
  void run(TierState<Xmv>& state, std::span<const Pair> pairs, std::span<PairResult> results,
           std::vector<double>* nodewise) {
    if (pairs.empty()) return;
    const Tier<Xmv>& tier = state.tier;
    std::optional<Workspace<Scalar, MemorySpace>>& workspace = state.workspace;
    Pair largest = pairs[0];
    for (const Pair& pair : pairs) {
      if (size_of(pair) > size_of(largest)) largest = pair;
    }
    const std::size_t elements = size_of(largest);
    const bool in_scratch = tier.place == VectorPlace::scratch;
    const std::size_t room = in_scratch ? 0 : elements;
    const std::size_t slots = slots_for(tier.xmv, room, pairs, largest);
    const auto xmv = tier.xmv.make(space_, slots, elements, pairs);
    if (!workspace || workspace->elements() < room || workspace->slots() < slots) {
      workspace.reset();
      workspace.emplace(space_, room, slots);
    }
    const std::vector<Pair> pairs_host(pairs.begin(), pairs.end());
    const auto pairs_view = octile::detail::to_memory<MemorySpace>(space_, "pairs", pairs_host);
    const Kokkos::View<PairResult*, MemorySpace> results_view(
        Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, "octile::results"), pairs.size());
    Kokkos::View<Scalar*, MemorySpace> x;
    if (nodewise != nullptr) x = decltype(x)(Kokkos::view_alloc(space_, "octile::nodewise"), elements);
    portable::solve(space_, set_, vertex_kernel_, edge_kernel_, xmv, Kokkos::View<const Pair*, MemorySpace>(pairs_view),
                    results_view, *workspace, options_, in_scratch ? elements : 0, x);
    Kokkos::deep_copy(space_, Kokkos::View<PairResult*, Kokkos::HostSpace>(results.data(), results.size()),
                      results_view);
    if (nodewise != nullptr) {
      std::vector<Scalar> copy(elements);
      Kokkos::deep_copy(space_, Kokkos::View<Scalar*, Kokkos::HostSpace>(copy.data(), copy.size()), x);
      space_.fence("octile::solve_nodewise");
      nodewise->assign(copy.begin(), copy.end());
    }
    space_.fence("octile::solve");
  }

  /// Pairs at a time: as many as the space runs teams, and as the memory holds.
  template <class Xmv>
  std::size_t slots_for(const Xmv& xmv, std::size_t room, std::span<const Pair> pairs, Pair largest) const {
    const std::size_t each = pair_bytes<Scalar>(room) + xmv.pair_bytes(room, pairs);
    const std::size_t fit = plan::pairs_that_fit(each, memory_, vertices_[static_cast<std::size_t>(largest.first)],
                                                 vertices_[static_cast<std::size_t>(largest.second)]);
    return std::min({concurrent_teams(space_, xmv.threads()), std::max<std::size_t>(pairs.size(), 256), fit});
  }

  std::size_t size_of(Pair pair) const {
    return vertices_[static_cast<std::size_t>(pair.first)] * vertices_[static_cast<std::size_t>(pair.second)];
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

/// Bytes of a set in octiles: at most, as if every element had an octile of its own.
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
