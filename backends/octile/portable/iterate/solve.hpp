// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/launch.hpp>
#include <octile/base/unit_roundoff.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/pairs/system.hpp>
#include <octile/pairs/vector_steps.hpp>
#include <octile/portable/iterate/host_steps.hpp>
#include <octile/portable/xmv/octiles.hpp>
#include <octile/portable/xmv/rows.hpp>
#include <octile/portable/xmv/team_scratch.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

template <>
struct Kokkos::reduction_identity<octile::TwoSums> {
  KOKKOS_FORCEINLINE_FUNCTION static octile::TwoSums sum() { return {}; }
};

namespace octile::portable {

/// Whether many threads share the work of one pair, as on a GPU. `Space` is an execution space or its memory.
template <class Space>
inline constexpr bool fine_grained =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// Lanes that work on a pair of tiles in step (see `LaneGrid`).
template <class ExecutionSpace>
inline constexpr int lanes_of = fine_grained<ExecutionSpace> ? 32 : 1;

/// Threads of a team that takes a large pair on a GPU.
inline constexpr int large_team = 128;

/// The XMV primitive for compile-time kernels on an execution space.
template <class ExecutionSpace, class Set>
auto default_xmv() {
  if constexpr (fine_grained<ExecutionSpace>) {
    return RowsXmv(large_team);
  } else {
    return OctileXmv<typename Set::scalar_type, typename Set::edge_label_type, 1, 1>(PrimitiveFamily::sparse_sparse,
                                                                                     adaptive_thresholds(false, true));
  }
}

/// How many teams of `threads` the space runs at once. A GPU's multiprocessor holds at most 32.
template <class ExecutionSpace>
std::size_t concurrent_teams(const ExecutionSpace& space, int threads) {
  const auto all = static_cast<std::size_t>(space.concurrency());
  return fine_grained<ExecutionSpace> ? std::max<std::size_t>(all / static_cast<std::size_t>(std::max(threads, 64)), 1)
                                      : all;
}

/// Scalars that a pair's solve needs for each of its n·m elements: diagonal, x, r, p, a, and on a CPU what `HostVectors` has
/// more.
template <class Scalar, class Space>
inline constexpr std::size_t scalars_per_element = fine_grained<Space> ? 5 : host_scalars<Scalar>;

/// Bytes that the vectors of a pair of `elements` = n·m take.
template <class Scalar, class Space>
constexpr std::size_t pair_bytes(std::size_t elements) {
  return scalars_per_element<Scalar, Space> * elements * sizeof(Scalar);
}

/// Work space for concurrent solves: `slots` rows, each for one pair of up to
/// `elements` = n·m. It can be reused, by one solve at a time.
template <class Scalar, class MemorySpace>
class Workspace {
 public:
  /// `elements` may be 0 if the vectors lie in team scratch.
  template <class ExecutionSpace>
  Workspace(const ExecutionSpace& space, std::size_t elements, std::size_t slots) : slots_(slots), elements_(elements) {
    storage_ = decltype(storage_)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::workspace"), slots,
                                  scalars_per_element<Scalar, MemorySpace> * elements);
    next_ = decltype(next_)(Kokkos::view_alloc(space, "octile::next_pair"));
  }

  /// The counter from which teams claim pairs.
  KOKKOS_INLINE_FUNCTION const Kokkos::View<int, MemorySpace>& next() const { return next_; }
  /// Queues that the first pair is the next.
  template <class ExecutionSpace>
  void start_over(const ExecutionSpace& space) const {
    Kokkos::deep_copy(space, next_, 0);
  }

  std::size_t slots() const { return slots_; }
  std::size_t elements() const { return elements_; }

  /// All vectors of a slot, stored consecutively.
  KOKKOS_INLINE_FUNCTION Scalar* vectors(int slot) const { return &storage_(slot, 0); }

 private:
  Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace> storage_;
  Kokkos::View<int, MemorySpace> next_;
  std::size_t slots_;
  std::size_t elements_;
};

/// A Kokkos team as a team of `conjugate_gradient`.
template <class Member>
struct Team {
  using Partial = TwoSums;

  const Member& member;

  template <class Scalar>
  KOKKOS_INLINE_FUNCTION static Scalar quotient(Scalar a, Scalar b) {
    return a / b;
  }

  template <class Function>
  KOKKOS_FUNCTION void for_each(int count, const Function& function) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, count), function);
    member.team_barrier();
  }

  template <class Function>
  KOKKOS_FUNCTION TwoSums sum(int count, const Function& function) const {
    TwoSums sums;
    for (int k = member.team_rank(); k < count; k += member.team_size()) function(k, sums);
    return of_all<Kokkos::Sum<TwoSums>>(sums);
  }

  template <class Function>
  KOKKOS_FUNCTION double most(int count, const Function& function) const {
    double most = 0;
    for (int k = member.team_rank(); k < count; k += member.team_size()) most = Kokkos::max(most, function(k));
    return of_all<Kokkos::Max<double>>(most);
  }

 private:
  // Not inlined: a solve forms sums in a dozen places, and the code that joins those of threads is longer than all else.
  template <class Reducer, class Value>
  [[gnu::noinline]] KOKKOS_FUNCTION Value of_all(Value value) const {
    member.team_reduce(Reducer(value));
    member.team_barrier();
    return value;
  }
};

/// The vertex kernel of pair k: one may have another for each.
template <class VertexKernel>
KOKKOS_INLINE_FUNCTION decltype(auto) kernel_of_pair(const VertexKernel& kernel, [[maybe_unused]] int k) {
  if constexpr (requires { kernel.of_pair(k); }) {
    return kernel.of_pair(k);
  } else {
    return (kernel);
  }
}

/// Which of the two systems is solved, and where the solutions of pairs go if they are asked for, as numbers of type `Value`.
template <class Value, class MemorySpace>
struct Solutions {
  RightHandSide right_hand_side = RightHandSide::stopping;
  Kokkos::View<Value*, MemorySpace> values{};
  Kokkos::View<const std::size_t*, MemorySpace>
      begin{};  ///< for each pair, where its solution begins in `values`; empty if only K is asked for

  /// Where the solution of pair k goes on a CPU, in double; null where only K is asked for.
  KOKKOS_FUNCTION double* place(int k) const requires(std::is_same_v<Value, double> && !fine_grained<MemorySpace>) {
    return begin.extent(0) == 0 ? nullptr : values.data() + begin(k);
  }

  /// Takes the solution of pair k to its place, by a team. Returns whether there was room.
  template <class TeamOfPair, class System, class Scalar>
  KOKKOS_FUNCTION bool take(const TeamOfPair& team, int k, const System& system, const Scalar* solution) const {
    if (begin.extent(0) == 0) return true;
    Value* to = values.data() + begin(k);
    team.for_each(system.size(), [&](int e) { to[e] = static_cast<Value>(solution[e]); });
    return true;
  }
};

/// The kernel of the backend: a team claims pair after pair from a common counter
/// until none is left, and solves each from start to end. `Taker` is `Solutions`, or another type with its `take`.
template <class Xmv, class Set, class VertexKernel, class EdgeKernel, class Taker>
struct SolvePairs {
  using Scalar = typename Set::scalar_type;
  using MemorySpace = typename Set::memory_space;

  Set set;
  VertexKernel vertex_kernel;
  EdgeKernel edge_kernel;
  Xmv xmv;
  Kokkos::View<const Pair*, MemorySpace> pairs;
  Kokkos::View<PairResult*, MemorySpace> results;
  Taker solutions;
  Workspace<Scalar, MemorySpace> workspace;
  SolveOptions options;
  std::size_t scratch_elements;  ///< n·m of the largest pair, if the vectors lie in team scratch; else 0
  bool only_left = false;  ///< whether results are there, and only pairs that are a `breakdown` by these are solved

  std::size_t scratch_bytes() const {
    return TeamScratch::bytes<Scalar>(scalars_per_element<Scalar, MemorySpace> * scratch_elements) +
           xmv.scratch_bytes();
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    TeamScratch scratch = TeamScratch::of(member, total_scratch);
    Scalar* vectors = scratch_elements > 0
                          ? scratch.take<Scalar>(scalars_per_element<Scalar, MemorySpace> * scratch_elements)
                          : workspace.vectors(member.league_rank());
    for (;;) {
      int k = 0;
      Kokkos::single(
          Kokkos::PerTeam(member), [&](int& claimed) { claimed = Kokkos::atomic_fetch_add(&workspace.next()(), 1); },
          k);
      if (k >= static_cast<int>(pairs.extent(0))) return;
      if (!only_left || results(k).status == Status::breakdown) {
        if constexpr (fine_grained<MemorySpace>) {
          solve(member, k, vectors, scratch);
        } else {
          // nvcc would compile it for a device, too, where a file of a user's solves on a host in a program for both.
          KOKKOS_IF_ON_HOST((solve_on_host(member, k, vectors, scratch);))
        }
      }
      member.team_barrier();
    }
  }

  std::size_t total_scratch = 0;  ///< scratch_bytes(), the value given to the policy

 private:
  template <class Member>
  KOKKOS_FUNCTION void solve(const Member& member, int k, Scalar* memory, const TeamScratch& scratch) const {
    const Team<Member> team{member};
    const PairSystem<Set, VertexKernel> system(set, kernel_of_pair(vertex_kernel, k), pairs(k));
    const RightHandSide which = solutions.right_hand_side;
    const int m = system.m;
    const int size = system.size();
    Scalar* diagonal = memory;
    CgVectors<Scalar> vectors{diagonal, memory + size, memory + 2 * size, memory + 3 * size, memory + 4 * size};
    if constexpr (requires { xmv.prepare(member, system, edge_kernel); }) xmv.prepare(member, system, edge_kernel);
    const double outside = team.most(size, [&](int e) {
      const double exact = system.diagonal(e / m, e % m);
      diagonal[e] = static_cast<Scalar>(exact);
      return within_range<Scalar>(exact, system.right_hand_side(e / m, e % m, which)) ? 0.0 : 1.0;
    });
    PairResult result = conjugate_gradient(
        team, [&] { xmv.apply(member, system, edge_kernel, vectors.p, vectors.a, scratch); },
        [&](int e) { return system.diagonal(e / m, e % m); },
        [&](int e) { return system.right_hand_side(e / m, e % m, which); }, size, vectors, options,
        tolerance_of(options, options.tolerance, size));
    // K = p×ᵀ x, or bᵀ y
    result.value = team.sum(size,
                            [&](int e, TwoSums& sums) {
                              sums.first +=
                                  system.value_weight(e / m, e % m, which) * static_cast<double>(vectors.x[e]);
                            })
                       .first;
    if (which == RightHandSide::starting && result.status != Status::breakdown && !Kokkos::isfinite(result.residual)) {
      result.residual = residual_by_stopping(team, system, vectors);
      result.error_bound = Kokkos::Experimental::infinity_v<double>;
    }
    if (!solutions.take(team, k, system, vectors.x) || outside > 0 || !(result.value >= least_value)) {
      result.status = Status::breakdown;
    }
    Kokkos::single(Kokkos::PerTeam(member), [&] { results(k) = result; });
  }

  /// Solves pair k by one thread of a CPU.
  template <class Member>
  void solve_on_host(const Member& member, int k, Scalar* memory, const TeamScratch& scratch) const {
    const Team<Member> team{member};
    const PairSystem<Set, VertexKernel> system(set, vertex_kernel, pairs(k));
    const RightHandSide which = solutions.right_hand_side;
    const HostVectors<Scalar> vectors = host_vectors(memory, static_cast<std::size_t>(system.size()));
    if constexpr (requires { xmv.prepare(member, system, edge_kernel); }) xmv.prepare(member, system, edge_kernel);
    const HostPasses<Scalar>& passes = host_passes<Scalar>();
    const HostRows rows = rows_of(system, which);
    for (int i = 0; i < system.n; ++i) system.reciprocals(i, vectors.exact + std::size_t(i) * system.m);
    const bool inside = passes.prepare(vectors, rows);
    const auto apply = [&](double slack) {
      if constexpr (requires { xmv.apply(member, system, edge_kernel, vectors.p, vectors.a, scratch, slack); }) {
        xmv.apply(member, system, edge_kernel, vectors.p, vectors.a, scratch, slack);
      } else {
        xmv.apply(member, system, edge_kernel, vectors.p, vectors.a, scratch);
      }
    };
    PairResult result;
    if constexpr (requires { xmv.refine(member, system, vectors, options); }) {
      result = xmv.refine(member, system, vectors, options);
    }
    if (result.status != Status::converged) {
      HostSteps<Scalar, decltype(apply)> steps(apply, vectors);
      result = iterate<Scalar>(steps, options, tolerance_of(options, options.tolerance, system.size()));
    }
    result.value = passes.value(vectors, rows);  // K = p×ᵀ x, or bᵀ y
    if (which == RightHandSide::starting && result.status != Status::breakdown && !Kokkos::isfinite(result.residual)) {
      result.residual = residual_by_stopping(team, system, vectors);
      result.error_bound = Kokkos::Experimental::infinity_v<double>;
    }
    bool taken = true;
    if constexpr (requires { solutions.place(k); }) {
      if (double* const to = solutions.place(k)) passes.widen(vectors, to);
    } else {
      taken = solutions.take(team, k, system, vectors.x);
    }
    if (!taken || !inside || !(result.value >= least_value)) {
      result.status = Status::breakdown;
    }
    results(k) = result;
  }

  template <class System>
  KOKKOS_FUNCTION static HostRows rows_of(const System& system, RightHandSide which) {
    const auto of = [&system](const auto& vertices, double scale) {
      return HostProduct{vertices.data() + system.first_vertex, vertices.data() + system.second_vertex, scale};
    };
    const HostProduct degrees = of(system.set.degrees, 1);
    const HostProduct stopping = of(system.set.degrees, system.set.q * system.set.q);
    const HostProduct starting = of(system.set.starting, 1);
    const bool adjoint = which == RightHandSide::starting;
    return {system.n, system.m, degrees, adjoint ? starting : stopping, adjoint ? stopping : starting};
  }

  /// The residual of an adjoint system whose p× is 0 somewhere: max_k (|s_k| + u |M y|_k) Σb / b_k, u the unit roundoff.
  template <class TeamOfPair, class System, class Vectors>
  KOKKOS_FUNCTION static double residual_by_stopping(const TeamOfPair& team, const System& system,
                                                     const Vectors& vectors) {
    const int m = system.m;
    const double all =
        team.sum(system.size(), [&](int e, TwoSums& sums) { sums.first += system.right_hand_side(e / m, e % m); })
            .first;
    return team.most(system.size(), [&](int e) {
      const double rounding =
          unit_roundoff_of<Scalar> * Kokkos::abs(system.diagonal(e / m, e % m) * double(vectors.x[e]));
      return (Kokkos::abs(double(vectors.r[e])) + rounding) * all / system.right_hand_side(e / m, e % m);
    });
  }
};

/// Queues `SolvePairs`.
template <class ExecutionSpace, class Kernel>
void queue_pairs(const ExecutionSpace& space, Kernel kernel) {
  kernel.total_scratch = kernel.scratch_bytes();
  const int teams = static_cast<int>(std::min(kernel.workspace.slots(), kernel.pairs.extent(0)));
  Kokkos::TeamPolicy<ExecutionSpace> policy(space, teams, fine_grained<ExecutionSpace> ? kernel.xmv.threads() : 1);
  policy.set_chunk_size(1);
  if (kernel.total_scratch > 0) {
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(kernel.total_scratch + TeamScratch::alignment)));
  }
  Kokkos::parallel_for("octile::solve_pairs", without_waiting(policy), kernel);
}

/// Solves `pairs` of `set` on `space`, without a fence; `results(k)` belongs to
/// `pairs(k)`. Pairs are claimed in the given order, from number `workspace.next()` on; put the costliest first.
/// If `scratch_elements` is not 0, vectors lie in team scratch, and it must be at least n·m of the largest pair.
/// Otherwise `workspace.elements()` must be. `solutions` says which system is solved, and where its
/// solutions go. With `only_left`, `results` are those of another solver, and only pairs that are a `breakdown` by them are solved.
template <class ExecutionSpace, class Set, class VertexKernel, class EdgeKernel, class Xmv,
          class Taker = Solutions<typename Set::scalar_type, typename Set::memory_space>>
void solve_from_next(const ExecutionSpace& space, const Set& set, const VertexKernel& vertex_kernel,
                     const EdgeKernel& edge_kernel, const Xmv& xmv,
                     const Kokkos::View<const Pair*, typename Set::memory_space>& pairs,
                     const Kokkos::View<PairResult*, typename Set::memory_space>& results,
                     const Workspace<typename Set::scalar_type, typename Set::memory_space>& workspace,
                     const SolveOptions& options, std::size_t scratch_elements = 0, const Taker& solutions = {},
                     bool only_left = false) {
  queue_pairs(space, SolvePairs<Xmv, Set, VertexKernel, EdgeKernel, Taker>{set, vertex_kernel, edge_kernel, xmv, pairs,
                                                                           results, solutions, workspace, options,
                                                                           scratch_elements, only_left});
}

}  // namespace octile::portable
