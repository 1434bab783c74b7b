// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/batch_fault.hpp>
#include <octile/error.hpp>
#include <octile/graph_batch.hpp>
#include <octile/graph_outputs.hpp>
#include <octile/graph_pairs.hpp>
#include <octile/graph_solve_options.hpp>
#include <octile/lowerings.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

// What `solve` of graphs in Views may be given. The compiler says in a sentence what is wrong, and leaves the rest of the call alone,
// so that the sentence is not followed by pages. What can be seen only when a program runs is an `Error`.
namespace octile::detail {

/// Whether an execution space, a handle and prepared graphs go together.
template <class ExecutionSpace, class SpaceOfHandle, class ScalarOfHandle, class Scalar, class MemorySpace>
consteval bool go_together() {
  constexpr bool same_space = std::is_same_v<ExecutionSpace, SpaceOfHandle>;
  constexpr bool same_precision = std::is_same_v<Scalar, ScalarOfHandle>;
  constexpr bool same_memory = std::is_same_v<MemorySpace, typename ExecutionSpace::memory_space>;
  static_assert(same_space, "the handle is of another execution space: take a SolveHandle of the type of `space`");
  static_assert(same_precision,
                "handle and graphs differ in precision: SolveHandle<Space, float> goes with prepare<float>");
  static_assert(same_memory,
                "the graphs lie in another memory space: prepare them on an instance of this execution space");
  return same_space && same_precision && same_memory;
}

/// Whether an output is a View that code which accesses a memory space may write.
template <class V, class MemorySpace>
consteval bool is_written() {
  if constexpr (std::is_same_v<V, NotGiven>) {
    return true;
  } else if constexpr (!Kokkos::is_view_v<V>) {
    static_assert(Kokkos::is_view_v<V>, "an output is a Kokkos::View, or octile::NotGiven()");
    return false;
  } else {
    constexpr bool accessible = readable_from<V, MemorySpace>();
    constexpr bool writable = !std::is_const_v<typename V::value_type>;
    static_assert(
        accessible,
        "the output Views must lie where the execution space writes: take a View of its memory space, and copy");
    static_assert(writable, "the output Views are written: take Views of what is not const");
    return accessible && writable;
  }
}

/// Whether an output is a View of floating-point numbers.
template <class V, class MemorySpace>
consteval bool takes_numbers() {
  if constexpr (std::is_same_v<V, NotGiven> || !is_written<V, MemorySpace>()) {
    return std::is_same_v<V, NotGiven>;
  } else {
    constexpr bool numbers = std::is_floating_point_v<typename V::non_const_value_type>;
    static_assert(numbers, "values and solutions are Views of float or double");
    return numbers;
  }
}

/// Whether an output is a View of results.
template <class V, class MemorySpace>
consteval bool takes_results() {
  if constexpr (std::is_same_v<V, NotGiven> || !is_written<V, MemorySpace>()) {
    return std::is_same_v<V, NotGiven>;
  } else {
    constexpr bool results = std::is_same_v<typename V::non_const_value_type, PairResult> && V::rank() == 1;
    static_assert(results, "the results are a View of rank 1 of octile::PairResult");
    return results;
  }
}

/// Whether a View of pairs is read where it lies.
template <class V, class MemorySpace>
consteval bool lists_pairs() {
  if constexpr (!RankOneView<V>) {
    static_assert(RankOneView<V>, "a PairList is made of a View of rank 1 of octile::Pair");
    return false;
  } else {
    constexpr bool pairs = std::is_same_v<typename V::non_const_value_type, Pair>;
    constexpr bool accessible = readable_from<V, MemorySpace>();
    static_assert(pairs, "a PairList is made of a View of rank 1 of octile::Pair");
    static_assert(accessible, "the pairs must lie where the execution space reads: copy them to its memory space");
    return pairs && accessible;
  }
}

template <class>
inline constexpr bool is_pair_list = false;
template <class V>
inline constexpr bool is_pair_list<PairList<V>> = true;

/// Whether these are pairs of one set, or of two.
template <class Pairs, class MemorySpace, bool two_sets>
consteval bool are_pairs() {
  if constexpr (is_pair_list<Pairs>) {
    return lists_pairs<decltype(Pairs::pairs), MemorySpace>();
  } else {
    constexpr bool across = std::is_same_v<Pairs, AllPairs>;
    constexpr bool within =
        std::is_same_v<Pairs, Symmetric> || std::is_same_v<Pairs, Diagonal> || std::is_same_v<Pairs, Rectangle>;
    static_assert(two_sets || within, "pairs of one set are Symmetric, Diagonal, a Rectangle or a PairList");
    static_assert(!two_sets || across, "pairs of two sets are AllPairs or a PairList");
    return two_sets ? across : within;
  }
}

/// The rank of the View that takes the values of such pairs.
template <class Pairs>
inline constexpr std::size_t rank_of = is_pair_list<Pairs> || std::is_same_v<Pairs, Diagonal> ? 1 : 2;

template <class Values, class Pairs>
consteval bool has_rank() {
  if constexpr (std::is_same_v<Values, NotGiven>) {
    return true;
  } else {
    constexpr bool same = Values::rank() == rank_of<Pairs>;
    static_assert(same, "values are of rank 2 for a matrix or rectangle, 1 for a list or diagonal");
    return same;
  }
}

/// Whether the solutions have Views that are written.
template <class MemorySpace, class>
consteval bool take_solutions(const NotGiven*) {
  return true;
}
template <class MemorySpace, class, class X, class Begin>
consteval bool take_solutions(const Nodewise<X, Begin>*) {
  constexpr bool accessible = readable_from<Begin, MemorySpace>();
  static_assert(accessible,
                "the places to begin must lie where the execution space reads: copy them to its memory space");
  return takes_numbers<X, MemorySpace>() && accessible;
}
template <class MemorySpace, class Pairs, class Values>
consteval bool take_solutions(const VerticesByGraphs<Values>*) {
  if constexpr (!takes_numbers<Values, MemorySpace>()) {
    return false;
  } else {
    constexpr bool matrix = rank_of<Pairs> == 2 && Values::rank() == 2;
    static_assert(matrix, "vertices by graphs are a matrix, of Symmetric, Rectangle or AllPairs");
    return matrix;
  }
}

/// Whether all Views of a call can be used.
template <class MemorySpace, class Pairs, class Starting, class Values, class Results, class Solutions>
consteval bool are_usable() {
  constexpr bool start = readable_from<Starting, MemorySpace>();
  static_assert(start,
                "the starting probabilities must lie where the execution space reads: copy them to its memory space");
  if constexpr (!takes_numbers<Values, MemorySpace>() || !takes_results<Results, MemorySpace>()) {
    return false;
  } else {
    return start && has_rank<Values, Pairs>() &&
           take_solutions<MemorySpace, Pairs>(static_cast<const Solutions*>(nullptr));
  }
}

/// Throws `Error` unless all that a call of `solve` was given fits.
template <class Numbered, class Values, class Results>
void require_fit(const Numbered& asked, const Values& values, const Results& results, std::size_t graphs,
                 const GraphSolveOptions& options) {
  const std::size_t count = asked.count();
  if constexpr (!std::is_same_v<Values, NotGiven>) {
    if (!asked.fits(values)) throw Error("the View of the values is not of the shape of the pairs");
  }
  if constexpr (!std::is_same_v<Results, NotGiven>) {
    if (results.extent(0) < count) {
      throw Error("the View of the results has " + std::to_string(results.extent(0)) + " places; there are " +
                  std::to_string(count) + " pairs");
    }
  }
  const double tolerance = options.solve.tolerance;
  if (!(tolerance >= 0 && tolerance < 1)) {
    throw Error("a tolerance of " + shown(tolerance) + "; allowed is a number between 0 and 1, or 0 for the usual one");
  }
  if (options.solve.max_iterations < 1) {
    throw Error(std::to_string(options.solve.max_iterations) + " iterations at most; allowed are 1 or more");
  }
  if (count + graphs > std::size_t(std::numeric_limits<std::int32_t>::max())) {
    throw Error(std::to_string(count) + " pairs at once; allowed are 2147483647 less the number of graphs");
  }
  if (options.lowering != Lowering::automatic && options.lowering != Lowering::on_the_fly) {
    throw Error("lowering '" + std::string(lowering_name(options.lowering)) +
                "' of graphs in Views; allowed are auto and on-the-fly");
  }
}

}  // namespace octile::detail
