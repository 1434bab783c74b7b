// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/certify/normalised.hpp>
#include <octile/graph_batch.hpp>
#include <octile/graph_pairs.hpp>
#include <octile/kernel_fault.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/residual_bound.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Where the answers of graphs in Views go.
namespace octile {

/// x of each pair in the order of the results, n·m values row major: pair k at x(begin(k)), of float or double. Vertices are counted as
/// in the batch. `begin` is what `nodewise_begin` writes, or whatever you like. A pair whose x has no room is a `breakdown`.
/// x is of K as it is, not normalised.
template <RankOneView X, RankOneView Begin>
struct Nodewise {
  X x;          ///< the solutions of all pairs, n·m numbers each
  Begin begin;  ///< where in `x` the numbers of each pair begin
};
template <class X, class Begin>
Nodewise(X, Begin) -> Nodewise<X, Begin>;

/// How similar each vertex of the rows' graphs is to each of the columns' graphs, Σ_i' p'_i' x_ii': vertices × columns, vertices
/// counted in the batch from the first row's graph on. p_i times it, summed over the vertices of a graph, is K, not normalised. It is
/// NaN where x would be (see `Nodewise`). For `Symmetric`, `Rectangle` and `AllPairs`.
template <class Values>
struct VerticesByGraphs {
  Values values;  ///< a View of float or double, vertices × columns
};
template <class Values>
VerticesByGraphs(Values) -> VerticesByGraphs<Values>;

/// Where the answers go: Views of the caller's, which the execution space writes. Those that are not given are not written.
/// `values` are of float or double, of any layout, of the shape that the pairs have; `results` are `PairResult`, one a pair:
///
///     Symmetric   (i, j), i ≤ j, row by row        Rectangle   (i, j), row by row        Diagonal, PairList   in order
///
/// `solutions` is `Nodewise` or `VerticesByGraphs`.
template <class Values, class Results = NotGiven, class Solutions = NotGiven>
struct Outputs {
  Values values;          ///< K of each pair, normalised if asked
  Results results{};      ///< status, iterations and residual of each pair
  Solutions solutions{};  ///< x of each pair, or its sums over the columns' vertices
};
template <class Values>
Outputs(Values) -> Outputs<Values>;
template <class Values, class Results>
Outputs(Values, Results) -> Outputs<Values, Results>;
template <class Values, class Results, class Solutions>
Outputs(Values, Results, Solutions) -> Outputs<Values, Results, Solutions>;

/// Whether values are normalised.
enum class Normalize { no, yes };

namespace detail {

/// What a View of floating-point numbers has where there is no answer.
template <class View>
KOKKOS_INLINE_FUNCTION constexpr typename View::non_const_value_type not_a_number() {
  return Kokkos::Experimental::quiet_NaN_v<typename View::non_const_value_type>;
}

/// Takes x of each pair that was asked for to where `Nodewise` says.
template <class Numbered, class X, class Begin>
struct TakeNodewise {
  RightHandSide right_hand_side = RightHandSide::stopping;
  Numbered asked;
  X x;
  Begin begin;
  std::int32_t graphs;

  template <class TeamOfPair, class System, class Scalar>
  KOKKOS_FUNCTION bool take(const TeamOfPair& team, int k, const System& system, const Scalar* solution) const {
    // Pairs behind those that were asked for are for the normalisation.
    if (static_cast<std::size_t>(k) >= asked.count() || !are_graphs(asked.pair(k), graphs)) return true;
    const auto first = static_cast<std::size_t>(begin(k));
    if (first > x.extent(0) || static_cast<std::size_t>(system.size()) > x.extent(0) - first) return false;
    team.for_each(system.size(), [&](int e) { x(first + e) = static_cast<typename X::value_type>(solution[e]); });
    return true;
  }
  /// Takes away x of pair k, as far as it has room.
  template <class VertexBegin>
  KOKKOS_FUNCTION void spoil(std::size_t k, Pair pair, const VertexBegin& vertex_begin) const {
    const std::size_t n = vertex_begin(pair.first + 1) - vertex_begin(pair.first);
    const std::size_t m = vertex_begin(pair.second + 1) - vertex_begin(pair.second);
    const auto first = static_cast<std::size_t>(begin(k));
    for (std::size_t e = first; e < x.extent(0) && e - first < n * m; ++e) x(e) = not_a_number<X>();
  }
  /// Takes away part k of all.
  KOKKOS_FUNCTION void spoil_part(std::size_t k, std::size_t parts) const {
    for (std::size_t e = k; e < x.extent(0); e += parts) x(e) = not_a_number<X>();
  }
};

/// Takes Σ_i' p'_i' x_ii' of each vertex to its place in a matrix of `VerticesByGraphs`.
template <class Numbered, class Values, class VertexBegin>
struct TakeByVertex {
  RightHandSide right_hand_side = RightHandSide::stopping;
  Numbered asked;
  Values values;
  VertexBegin vertex_begin;
  std::int32_t first_row;
  std::int32_t first_column;

  template <class TeamOfPair, class System, class Scalar>
  KOKKOS_FUNCTION bool take(const TeamOfPair& team, int k, const System& system, const Scalar* solution) const {
    if (static_cast<std::size_t>(k) >= asked.count()) return true;
    const int n = system.n;
    const int m = system.m;
    const std::size_t row = system.first_vertex - vertex_begin(first_row);
    if (row + n > values.extent(0)) return false;
    // Row i of x, or column j, weighed with the other graph's starting probabilities.
    const auto sums = [&](int count, int stride, int length, int step, std::uint32_t other, std::size_t to,
                          int column) {
      team.for_each(count, [&](int i) {
        double sum = 0;
        for (int j = 0; j < length; ++j) {
          sum += system.set.starting(other + j) * static_cast<double>(solution[i * stride + j * step]);
        }
        values(to + i, column) = static_cast<typename Values::value_type>(sum);
      });
    };
    sums(n, m, m, 1, system.second_vertex, row, system.second_graph - first_column);
    if constexpr (Numbered::both_ways) {
      if (std::size_t(system.second_vertex) + m > values.extent(0)) return false;
      sums(m, 1, n, m, system.first_vertex, system.second_vertex, system.first_graph);
    }
    return true;
  }
  /// Takes away what pair k has, as far as it has room.
  KOKKOS_FUNCTION void spoil(std::size_t, Pair pair, const VertexBegin&) const {
    spoil_column(pair.first, pair.second - first_column);
    if constexpr (Numbered::both_ways) spoil_column(pair.second, pair.first);
  }
  /// Takes away part k of all.
  KOKKOS_FUNCTION void spoil_part(std::size_t k, std::size_t parts) const {
    for (std::size_t v = k; v < values.extent(0); v += parts) {
      for (std::size_t c = 0; c < values.extent(1); ++c) values(v, c) = not_a_number<Values>();
    }
  }

 private:
  KOKKOS_FUNCTION void spoil_column(std::int32_t graph, std::int32_t column) const {
    const std::size_t first = vertex_begin(first_row);
    for (std::size_t v = vertex_begin(graph) - first; v < vertex_begin(graph + 1) - first && v < values.extent(0);
         ++v) {
      values(v, column) = not_a_number<Values>();
    }
  }
};

/// Throws `Error` unless the Views of the solutions have room for what can be counted on the host.
template <class Numbered>
void require_room(const Numbered&, NotGiven) {}
template <class Numbered, class X, class Begin>
void require_room(const Numbered& asked, const Nodewise<X, Begin>& nodewise) {
  if (nodewise.begin.extent(0) < asked.count()) {
    throw Error("node-wise results have " + std::to_string(nodewise.begin.extent(0)) + " places to begin; there are " +
                std::to_string(asked.count()) + " pairs");
  }
}
template <class Numbered, class Values>
void require_room(const Numbered& asked, const VerticesByGraphs<Values>& by_vertex) {
  if (by_vertex.values.extent(1) != static_cast<std::size_t>(asked.columns())) {
    throw Error("the View of vertices by graphs has " + std::to_string(by_vertex.values.extent(1)) +
                " columns; there are " + std::to_string(asked.columns()) + " graphs");
  }
}

/// What `SolvePairs` gives the solutions to.
template <class Set, class Numbered>
auto taker(const Set&, const Numbered&, std::int32_t, NotGiven) {
  return portable::Solutions<typename Set::scalar_type, typename Set::memory_space>();
}
template <class Set, class Numbered, class X, class Begin>
auto taker(const Set&, const Numbered& asked, std::int32_t graphs, const Nodewise<X, Begin>& nodewise) {
  return TakeNodewise<Numbered, X, Begin>{.asked = asked, .x = nodewise.x, .begin = nodewise.begin, .graphs = graphs};
}
template <class Set, class Numbered, class Values>
auto taker(const Set& set, const Numbered& asked, std::int32_t, const VerticesByGraphs<Values>& by_vertex) {
  return TakeByVertex<Numbered, Values, decltype(set.vertex_begin)>{.asked = asked,
                                                                    .values = by_vertex.values,
                                                                    .vertex_begin = set.vertex_begin,
                                                                    .first_row = asked.first_row(),
                                                                    .first_column = asked.first_column()};
}

/// How many vertices a graph has, of one set, or of two where the second's graphs are counted behind the first's.
template <class VertexBegin>
struct VerticesOfGraph {
  VertexBegin of_rows;
  VertexBegin of_columns;
  std::int32_t rows;

  KOKKOS_INLINE_FUNCTION std::size_t operator()(std::int32_t graph) const {
    const bool in_columns = graph >= rows;
    const VertexBegin& begin = in_columns ? of_columns : of_rows;
    const auto g = static_cast<std::size_t>(graph - (in_columns ? rows : 0));
    return begin(g + 1) - begin(g);
  }
};

/// Where x of each pair begins: their n·m before it.
template <class Numbered, class VerticesOf, class Begin>
struct CountNodewise {
  Numbered asked;
  VerticesOf vertices_of;
  Begin begin;
  std::size_t count;
  std::int32_t graphs;

  KOKKOS_FUNCTION void operator()(const std::size_t k, std::size_t& before, const bool final) const {
    // What `begin` cannot hold is beyond every x that it can hold a place of.
    using Place = typename Begin::non_const_value_type;
    constexpr auto most = static_cast<std::size_t>(Kokkos::Experimental::finite_max_v<Place>);
    if (final) begin(k) = static_cast<Place>(Kokkos::min(before, most));
    if (k == count) return;
    const Pair pair = asked.pair(k);
    if (!are_graphs(pair, graphs)) return;
    before += vertices_of(pair.first) * vertices_of(pair.second);
  }
};

/// Takes what was solved to where it was asked for. Where nothing was, there is NaN, also in the solutions.
template <class Numbered, class Set, class Values, class Results, class Taker>
struct WriteOutputs {
  using MemorySpace = typename Set::memory_space;

  Numbered asked;
  std::size_t count;
  std::int32_t graphs;
  bool normalize;
  Kokkos::View<PairResult*, MemorySpace> solved;
  Kokkos::View<FaultRecord<FaultPlace>, MemorySpace> fault;  ///< of the batch
  Kokkos::View<KernelRecord, MemorySpace> kernel_fault;      ///< and of the kernel
  portable::DeviceFactors<MemorySpace> factors;
  double factor_share;
  ResidualBound bound;
  Values values;
  Results results;
  Taker taker;
  Array<std::uint32_t, MemorySpace> vertex_begin;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    const Pair pair = asked.pair(k);
    const bool inside = are_graphs(pair, graphs);
    const bool sound = graphs > 0 && fault().key == no_fault && kernel_fault().key == no_fault;
    PairResult result;
    result.value = Kokkos::Experimental::quiet_NaN_v<double>;
    result.residual = Kokkos::Experimental::infinity_v<double>;
    if (inside && sound) {
      result = found(k, pair);
      if (normalize) {
        result =
            normalised(pair, result, found(asked.place_of_self(k, pair.first, false, graphs), {pair.first, pair.first}),
                       found(asked.place_of_self(k, pair.second, true, graphs), {pair.second, pair.second}));
      }
    }
    if (result.status == Status::breakdown) result.value = Kokkos::Experimental::quiet_NaN_v<double>;
    if constexpr (!std::is_same_v<Values, NotGiven>) {
      if (inside || Numbered::rank == 1) asked.write(values, k, pair, result.value);
    }
    if constexpr (!std::is_same_v<Results, NotGiven>) results(k) = result;
    if constexpr (requires { taker.spoil_part(k, count); }) {
      if (!sound) {
        taker.spoil_part(k, count);
      } else if (inside && solved(k).status == Status::breakdown) {
        taker.spoil(k, pair, vertex_begin);
      }
    }
  }

 private:
  /// What was found of pair p of all. One without a value is noted: κv is looked at there.
  KOKKOS_INLINE_FUNCTION PairResult found(std::size_t p, Pair pair) const {
    const PairResult result = solved(p);
    if (result.status == Status::breakdown) {
      Kokkos::atomic_min(&kernel_fault().broken, static_cast<std::uint32_t>(p));
    }
    return judged(pair, result);
  }
  /// The result with the residual of the kernel that was asked for, also where a factored one was solved, and with the
  /// bound that follows.
  KOKKOS_INLINE_FUNCTION PairResult judged(Pair pair, PairResult result) const {
    if (factors.suffice(factor_share)) {
      result.residual += factors.relative_error(unit_roundoff_of<typename Set::scalar_type>);
    }
    result.error_bound = bound.of(result, vertices_of(pair.first) * vertices_of(pair.second), kernel_fault().reach);
    return result;
  }
  KOKKOS_INLINE_FUNCTION std::size_t vertices_of(std::int32_t graph) const {
    return vertex_begin(graph + 1) - vertex_begin(graph);
  }
};

}  // namespace detail
}  // namespace octile
