// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/base_kernels.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/pairs/system.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/portable/refined.hpp>
#include <octile/portable/xmv/factored.hpp>
#include <octile/portable/xmv/factored_set.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// 1/κv formed before pairs are solved, or by a call: such solves depend on no label and no vertex kernel of the user's, and the library has them.
namespace octile::detail {

/// 1/κv of pairs one after the other, row major, with `stride` places for each. It stands for the vertex kernel in a `PairSystem`.
struct PlacedReciprocals {
  double* values;
  std::size_t stride;

  KOKKOS_INLINE_FUNCTION PlacedReciprocals of_pair(int k) const {
    return {values + static_cast<std::size_t>(k) * stride, stride};
  }
  KOKKOS_INLINE_FUNCTION double by_place(int e) const { return values[e]; }
};

/// Forms 1/κv of each pair, a team each; not a number where κv is not allowed. Pairs with more than `stride` elements are left out.
template <class Set, class VertexKernel>
struct FormReciprocals {
  Set set;
  VertexKernel vertex_kernel;
  const Pair* pairs;
  PlacedReciprocals reciprocals;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    // A system would have a copy of the kernel for every thread, and that of a program is large.
    const std::uint32_t first = set.vertex_begin(pairs[k].first);
    const std::uint32_t second = set.vertex_begin(pairs[k].second);
    const int m = set.vertices(pairs[k].second);
    if (static_cast<std::size_t>(set.vertices(pairs[k].first)) * static_cast<std::size_t>(m) > reciprocals.stride) {
      return;
    }
    double* const to = reciprocals.of_pair(k).values;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, set.vertices(pairs[k].first) * m), [&](const int e) {
      to[e] = reciprocal_of_kappa(
          vertex_kernel.template evaluate<double>(set.vertex_labels(first + e / m), set.vertex_labels(second + e % m)));
    });
  }
};

/// Queues `FormReciprocals` for `count` pairs.
template <class ExecutionSpace, class Set, class VertexKernel>
void form_reciprocals(const ExecutionSpace& space, const Set& set, const VertexKernel& vertex_kernel, const Pair* pairs,
                      std::size_t count, const PlacedReciprocals& reciprocals) {
  constexpr int threads = portable::fine_grained<ExecutionSpace> ? 256 : 1;
  Kokkos::parallel_for("octile::form_reciprocals",
                       without_waiting(Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(count), threads)),
                       FormReciprocals<Set, VertexKernel>{set, vertex_kernel, pairs, reciprocals});
}

/// 1/κv of rows of a pair's vertices, by a call of whoever knows labels and vertex kernel. It stands for the vertex kernel in a `PairSystem`,
/// on a host, where the call returns to the file that has the types.
class CalledReciprocals {
 public:
  /// What the call reads. Both members are read at each call, so that they must outlive a solve.
  template <class Label, class VertexKernel>
  struct Source {
    const Label* labels;  ///< of all vertices of the set
    const VertexKernel* vertex_kernel;
  };

  template <class Label, class VertexKernel>
  explicit CalledReciprocals(const Source<Label, VertexKernel>& source)
      : source_(&source), form_([](const void* from, std::uint32_t first, std::uint32_t second, int count, double* to) {
          const auto& of = *static_cast<const Source<Label, VertexKernel>*>(from);
          form_reciprocals_of_row(*of.vertex_kernel, of.labels[first], of.labels + second, count, to);
        }) {}

  /// Waits for a space that may return from a launch before it is done: of those of a host HPX alone.
  template <class ExecutionSpace>
  static void wait_where_calls_outlive([[maybe_unused]] const ExecutionSpace& space) {
#ifdef KOKKOS_ENABLE_HPX
    if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Experimental::HPX>) space.fence("octile::solve_by_calls");
#endif
  }

  /// 1/κv of vertex `first` with each of `count` vertices from `second` on, by their numbers in the set.
  KOKKOS_INLINE_FUNCTION void row(std::uint32_t first, std::uint32_t second, int count, double* to) const {
    form_(source_, first, second, count, to);
  }
  KOKKOS_INLINE_FUNCTION double by_vertices(std::uint32_t first, std::uint32_t second) const {
    double reciprocal = 0;
    row(first, second, 1, &reciprocal);
    return reciprocal;
  }

 private:
  const void* source_;
  void (*form_)(const void*, std::uint32_t, std::uint32_t, int, double*);
};

/// Takes the solutions of a part of the pairs, which begins with number `first`.
template <class Taker>
struct TakePart {
  Taker taker;
  int first;
  RightHandSide right_hand_side;

  TakePart(const Taker& taker_of_all, std::size_t first_of_part)
      : taker(taker_of_all), first(static_cast<int>(first_of_part)), right_hand_side(taker_of_all.right_hand_side) {}

  template <class TeamOfPair, class System, class Scalar>
  KOKKOS_FUNCTION bool take(const TeamOfPair& team, int k, const System& system, const Scalar* solution) const {
    return taker.take(team, first + k, system, solution);
  }
};

/// Solves of pairs by factors that the library has: on a GPU they read 1/κv, on a host, where float does most of the work of double, they have
/// it by calls.
#ifdef KOKKOS_ENABLE_CUDA
template <class Scalar>
using LibraryPairs = portable::SolvePairs<portable::FactoredXmv<Scalar, LibraryMemory, true>,
                                          portable::FactoredSet<Scalar, LibraryMemory, NoLabel>, PlacedReciprocals,
                                          Constant, TakePart<portable::Solutions<Scalar, LibraryMemory>>>;
#else
template <class Scalar>
using LibraryPairs =
    portable::SolvePairs<std::conditional_t<std::is_same_v<Scalar, double>, portable::RefinedXmv<LibraryMemory>,
                                            portable::FactoredXmv<Scalar, LibraryMemory, false>>,
                         portable::FactoredSet<Scalar, LibraryMemory, NoLabel>, CalledReciprocals, Constant,
                         portable::Solutions<Scalar, LibraryMemory>>;
#endif

}  // namespace octile::detail

namespace octile::portable {
OCTILE_IN_LIBRARY template void queue_pairs(const octile::detail::LibrarySpace&, octile::detail::LibraryPairs<double>);
OCTILE_IN_LIBRARY template void queue_pairs(const octile::detail::LibrarySpace&, octile::detail::LibraryPairs<float>);
}  // namespace octile::portable
