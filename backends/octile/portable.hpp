// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>
#include <octile/pair_system.hpp>
#include <octile/solve.hpp>
#include <octile/xmv.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

template <>
struct Kokkos::reduction_identity<octile::TwoSums> {
  KOKKOS_FORCEINLINE_FUNCTION static octile::TwoSums sum() { return {}; }
};

namespace octile::portable {

/// Whether threads of the execution space are to share one pair's work finely.
template <class ExecutionSpace>
inline constexpr bool fine_grained =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible;

/// The XMV primitive that this backend takes on an execution space.
template <class ExecutionSpace>
using DefaultXmv = std::conditional_t<fine_grained<ExecutionSpace>, ElementOwner, OctileOwner>;

/// Vectors of n·m elements that a pair's solve needs: diagonal, x, r, p, a.
inline constexpr std::size_t vectors_per_pair = 5;

/// Work space for concurrent solves: `slots` rows, each for one pair of up to
/// `elements` = n·m. Made once and used again; one solve at a time may use it.
template <class Scalar, class MemorySpace>
class Workspace {
 public:
  /// As many slots as `space` runs teams at once, but no more than `pairs`, or than
  /// fit `bytes`; at least one.
  template <class ExecutionSpace>
  Workspace(const ExecutionSpace& space, std::size_t elements, std::size_t pairs,
            std::size_t bytes = std::size_t(4) << 30)
      : elements_(elements) {
    const std::size_t each = vectors_per_pair * std::max<std::size_t>(elements, 1) * sizeof(Scalar);
    const auto threads = static_cast<std::size_t>(space.concurrency());
    // A team of 128 threads a pair on a GPU; a thread a pair on a CPU.
    const std::size_t teams = fine_grained<ExecutionSpace> ? std::max<std::size_t>(threads / 256, 1) : threads;
    const std::size_t slots = std::max<std::size_t>(std::min({teams, pairs, bytes / each}), 1);
    storage_ = decltype(storage_)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::workspace"), slots,
                                  vectors_per_pair * elements);
    next_ = decltype(next_)(Kokkos::view_alloc(space, "octile::next_pair"));
  }

  /// The counter from which teams claim pairs.
  KOKKOS_INLINE_FUNCTION const Kokkos::View<int, MemorySpace>& next() const { return next_; }

  int slots() const { return static_cast<int>(storage_.extent(0)); }
  std::size_t elements() const { return elements_; }

  KOKKOS_INLINE_FUNCTION Scalar* vector(int slot, int which) const {
    return &storage_(slot, static_cast<std::size_t>(which) * elements_);
  }

 private:
  Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace> storage_;
  Kokkos::View<int, MemorySpace> next_;
  std::size_t elements_;
};

/// A Kokkos team as `conjugate_gradient` wants one.
template <class Member>
struct Team {
  const Member& member;

  template <class Function>
  KOKKOS_FUNCTION void for_each(int count, const Function& function) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, count), function);
    member.team_barrier();
  }

  template <class Function>
  KOKKOS_FUNCTION TwoSums sum(int count, const Function& function) const {
    TwoSums sums;
    Kokkos::parallel_reduce(Kokkos::TeamVectorRange(member, count), function, Kokkos::Sum<TwoSums>(sums));
    member.team_barrier();
    return sums;
  }
};

/// The kernel of the backend: a team takes pair after pair from a common counter
/// until none is left, and runs each pair's whole CG.
template <class Xmv, class Set, class VertexKernel, class EdgeKernel>
struct SolvePairs {
  using Scalar = typename Set::scalar_type;
  using MemorySpace = typename Set::memory_space;

  Set set;
  VertexKernel vertex_kernel;
  EdgeKernel edge_kernel;
  Kokkos::View<const Pair*, MemorySpace> pairs;
  Kokkos::View<PairResult*, MemorySpace> results;
  Kokkos::View<Scalar*, MemorySpace> nodewise;  ///< x of the first pair, if of length > 0
  Workspace<Scalar, MemorySpace> workspace;
  SolveOptions options;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    for (;;) {
      int k = 0;
      Kokkos::single(
          Kokkos::PerTeam(member), [&](int& claimed) { claimed = Kokkos::atomic_fetch_add(&workspace.next()(), 1); },
          k);
      if (k >= static_cast<int>(pairs.extent(0))) return;
      solve(member, k);
      member.team_barrier();
    }
  }

 private:
  template <class Member>
  KOKKOS_FUNCTION void solve(const Member& member, int k) const {
    const Team<Member> team{member};
    const PairSystem<Set, VertexKernel> system(set, vertex_kernel, pairs(k));
    const int slot = member.league_rank();
    const int m = system.m;
    Scalar* diagonal = workspace.vector(slot, 0);
    const CgVectors<Scalar> vectors{diagonal, workspace.vector(slot, 1), workspace.vector(slot, 2),
                                    workspace.vector(slot, 3), workspace.vector(slot, 4)};
    team.for_each(system.size(), [&](int e) { diagonal[e] = static_cast<Scalar>(system.diagonal(e / m, e % m)); });
    PairResult result = conjugate_gradient(
        team, [&](const Scalar* p, Scalar* a) { Xmv::apply(member, system, edge_kernel, p, a); },
        [&](int e) { return system.diagonal(e / m, e % m); },
        [&](int e) { return system.right_hand_side(e / m, e % m); }, system.size(), vectors, options);
    // K = p×ᵀ x
    result.value = team.sum(system.size(),
                            [&](int e, TwoSums& sums) {
                              sums.first += system.starting(e / m, e % m) * static_cast<double>(vectors.x[e]);
                            })
                       .first;
    if (k == 0 && nodewise.extent(0) > 0) {
      team.for_each(system.size(), [&](int e) { nodewise(e) = vectors.x[e]; });
    }
    Kokkos::single(Kokkos::PerTeam(member), [&] { results(k) = result; });
  }
};

/// Solves `pairs` of `set` on `space`, without a fence: `results(k)` belongs to
/// `pairs(k)`. Pairs are claimed in the order given; put the costliest first.
/// `workspace.elements()` must cover the largest n·m among them. If `nodewise` has
/// a length, it gets x of the first pair (n·m values).
template <class ExecutionSpace, class Set, class VertexKernel, class EdgeKernel>
void solve(const ExecutionSpace& space, const Set& set, const VertexKernel& vertex_kernel,
           const EdgeKernel& edge_kernel, const Kokkos::View<const Pair*, typename Set::memory_space>& pairs,
           const Kokkos::View<PairResult*, typename Set::memory_space>& results,
           const Workspace<typename Set::scalar_type, typename Set::memory_space>& workspace,
           const SolveOptions& options,
           const Kokkos::View<typename Set::scalar_type*, typename Set::memory_space>& nodewise = {}) {
  if (pairs.extent(0) == 0) return;
  Kokkos::Profiling::ScopedRegion region("octile::solve");
  Kokkos::deep_copy(space, workspace.next(), 0);
  using Kernel = SolvePairs<DefaultXmv<ExecutionSpace>, Set, VertexKernel, EdgeKernel>;
  const Kernel kernel{set, vertex_kernel, edge_kernel, pairs, results, nodewise, workspace, options};
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const int teams = std::min(workspace.slots(), static_cast<int>(pairs.extent(0)));
  int threads = 1;
  if constexpr (fine_grained<ExecutionSpace>) {
    threads = std::min(128, Policy(space, teams, 1).team_size_max(kernel, Kokkos::ParallelForTag()));
  }
  Policy policy(space, teams, threads);
  policy.set_chunk_size(1);
  Kokkos::parallel_for("octile::solve_pairs", policy, kernel);
}

}  // namespace octile::portable
