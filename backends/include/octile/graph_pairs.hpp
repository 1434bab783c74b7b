// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/error.hpp>
#include <octile/graph_batch.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Which pairs of graphs are to be solved, in Views, and what shape their values have.
namespace octile {

/// All pairs: values are N×N, each pair solved once and written twice.
struct Symmetric {};
/// Each graph with itself: values are N.
struct Diagonal {};
/// Some graphs with some others of the same set: values are rows × columns.
struct Rectangle {
  std::int32_t first_row = 0;     ///< the graph of the first row
  std::int32_t rows = 0;          ///< how many follow each other from there
  std::int32_t first_column = 0;  ///< the graph of the first column
  std::int32_t columns = 0;       ///< how many follow each other from there
};
/// Each graph of one set, the rows, with each of another, the columns: values are rows × columns.
struct AllPairs {};
/// Pairs in a View, which the execution space reads: values are one each, in this order. A pair that names no two graphs
/// is a `breakdown`. Of two sets, `first` is counted in the rows and `second` in the columns.
template <class PairsView>
struct PairList {
  PairsView pairs;  ///< a View of `Pair`, of rank 1
};
template <class PairsView>
PairList(PairsView) -> PairList<PairsView>;

namespace detail {

KOKKOS_INLINE_FUNCTION bool are_graphs(Pair pair, std::int32_t graphs) {
  return pair.first >= 0 && pair.first < graphs && pair.second >= 0 && pair.second < graphs;
}

struct SymmetricPairs {
  std::int32_t graphs;
  KOKKOS_INLINE_FUNCTION std::size_t count() const { return std::size_t(graphs) * (std::size_t(graphs) + 1) / 2; }
  KOKKOS_INLINE_FUNCTION Pair pair(std::size_t k) const {
    // Row i begins at i N − i (i − 1) / 2. The root may be off by one.
    const double n = graphs + 0.5;
    auto i = static_cast<std::int64_t>(n - Kokkos::sqrt(Kokkos::max(n * n - 2.0 * static_cast<double>(k), 0.0)));
    while (i > 0 && begin(i) > static_cast<std::int64_t>(k)) --i;
    while (begin(i + 1) <= static_cast<std::int64_t>(k)) ++i;
    return {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + static_cast<std::int64_t>(k) - begin(i))};
  }
  template <class Values>
  KOKKOS_INLINE_FUNCTION static void write(const Values& values, std::size_t, Pair pair, double value) {
    values(pair.first, pair.second) = static_cast<typename Values::value_type>(value);
    values(pair.second, pair.first) = static_cast<typename Values::value_type>(value);
  }
  template <class Values>
  bool fits(const Values& values) const {
    return values.extent(0) == std::size_t(graphs) && values.extent(1) == std::size_t(graphs);
  }
  static constexpr int rank = 2;
  /// To normalise, the graphs that are solved with themselves beside the pairs that are asked for, and where that of a pair's first or
  /// second graph is found among all. Here they are among those asked for.
  KOKKOS_INLINE_FUNCTION std::size_t selves(std::int32_t) const { return 0; }
  KOKKOS_INLINE_FUNCTION std::int32_t self(std::size_t, std::int32_t) const { return 0; }
  KOKKOS_INLINE_FUNCTION std::size_t place_of_self(std::size_t, std::int32_t graph, bool, std::int32_t) const {
    return static_cast<std::size_t>(begin(graph));
  }
  /// For `VerticesByGraphs`: the graph of the first row, the graph of the first column, the number of columns, and
  /// whether values have (j, i) beside (i, j).
  std::int32_t first_row() const { return 0; }
  std::int32_t first_column() const { return 0; }
  std::int32_t columns() const { return graphs; }
  static constexpr bool both_ways = true;

 private:
  KOKKOS_INLINE_FUNCTION std::int64_t begin(std::int64_t i) const { return i * graphs - i * (i - 1) / 2; }
};

/// Each graph with itself, as a View of pairs would have them.
struct SelfPairs {
  std::int32_t graphs;
  KOKKOS_INLINE_FUNCTION std::size_t extent(int) const { return std::size_t(graphs); }
  KOKKOS_INLINE_FUNCTION Pair operator()(std::size_t k) const {
    return {static_cast<std::int32_t>(k), static_cast<std::int32_t>(k)};
  }
};

struct RectanglePairs {
  Rectangle rectangle;
  KOKKOS_INLINE_FUNCTION std::size_t count() const {
    return std::size_t(rectangle.rows) * std::size_t(rectangle.columns);
  }
  KOKKOS_INLINE_FUNCTION Pair pair(std::size_t k) const {
    return {static_cast<std::int32_t>(rectangle.first_row + k / rectangle.columns),
            static_cast<std::int32_t>(rectangle.first_column + k % rectangle.columns)};
  }
  template <class Values>
  KOKKOS_INLINE_FUNCTION void write(const Values& values, std::size_t, Pair pair, double value) const {
    values(pair.first - rectangle.first_row, pair.second - rectangle.first_column) =
        static_cast<typename Values::value_type>(value);
  }
  template <class Values>
  bool fits(const Values& values) const {
    return values.extent(0) == std::size_t(rectangle.rows) && values.extent(1) == std::size_t(rectangle.columns);
  }
  static constexpr int rank = 2;
  /// Graphs that are solved with themselves: those of the rows, then those of the columns; or all from the first to the
  /// last, where that is not more.
  KOKKOS_INLINE_FUNCTION std::size_t selves(std::int32_t) const {
    return apart() ? std::size_t(rectangle.rows) + std::size_t(rectangle.columns) : std::size_t(end() - begin());
  }
  KOKKOS_INLINE_FUNCTION std::int32_t self(std::size_t s, std::int32_t) const {
    const auto number = static_cast<std::int32_t>(s);
    if (!apart()) return begin() + number;
    return number < rectangle.rows ? rectangle.first_row + number : rectangle.first_column + (number - rectangle.rows);
  }
  KOKKOS_INLINE_FUNCTION std::size_t place_of_self(std::size_t, std::int32_t graph, bool second, std::int32_t) const {
    if (!apart()) return count() + static_cast<std::size_t>(graph - begin());
    const std::int32_t number =
        second ? rectangle.rows + (graph - rectangle.first_column) : graph - rectangle.first_row;
    return count() + static_cast<std::size_t>(number);
  }
  std::int32_t first_row() const { return rectangle.first_row; }
  std::int32_t first_column() const { return rectangle.first_column; }
  std::int32_t columns() const { return rectangle.columns; }
  static constexpr bool both_ways = false;

 private:
  KOKKOS_INLINE_FUNCTION std::int32_t begin() const { return Kokkos::min(rectangle.first_row, rectangle.first_column); }
  KOKKOS_INLINE_FUNCTION std::int64_t end() const {
    return Kokkos::max(std::int64_t(rectangle.first_row) + rectangle.rows,
                       std::int64_t(rectangle.first_column) + rectangle.columns);
  }
  KOKKOS_INLINE_FUNCTION bool apart() const {
    return end() - begin() > std::int64_t(rectangle.rows) + rectangle.columns;
  }
};

template <class PairsView>
struct ListedPairs {
  PairsView pairs;
  KOKKOS_INLINE_FUNCTION std::size_t count() const { return pairs.extent(0); }
  KOKKOS_INLINE_FUNCTION Pair pair(std::size_t k) const { return pairs(k); }
  template <class Values>
  KOKKOS_INLINE_FUNCTION static void write(const Values& values, std::size_t k, Pair, double value) {
    values(k) = static_cast<typename Values::value_type>(value);
  }
  template <class Values>
  bool fits(const Values& values) const {
    return values.extent(0) == count();
  }
  static constexpr int rank = 1;
  /// Both graphs of each pair where the pairs are few, else all graphs; none where each pair is a graph with itself.
  KOKKOS_INLINE_FUNCTION std::size_t selves(std::int32_t graphs) const {
    if constexpr (of_selves) return 0;
    return few(graphs) ? 2 * count() : static_cast<std::size_t>(graphs);
  }
  KOKKOS_INLINE_FUNCTION std::int32_t self(std::size_t s, std::int32_t graphs) const {
    if (!few(graphs)) return static_cast<std::int32_t>(s);
    const Pair pair = pairs(s / 2);
    return s % 2 == 0 ? pair.first : pair.second;
  }
  KOKKOS_INLINE_FUNCTION std::size_t place_of_self(std::size_t k, std::int32_t graph, bool second,
                                                   std::int32_t graphs) const {
    if constexpr (of_selves) return k;
    return count() + (few(graphs) ? 2 * k + (second ? 1 : 0) : static_cast<std::size_t>(graph));
  }

 private:
  static constexpr bool of_selves = std::is_same_v<PairsView, SelfPairs>;
  KOKKOS_INLINE_FUNCTION bool few(std::int32_t graphs) const { return 2 * count() < static_cast<std::size_t>(graphs); }
};

inline SymmetricPairs numbered(Symmetric, std::int32_t graphs) { return {graphs}; }
inline ListedPairs<SelfPairs> numbered(Diagonal, std::int32_t graphs) { return {{graphs}}; }
/// Throws `Error` if the rectangle is not one of so many graphs.
RectanglePairs numbered(const Rectangle& rectangle, std::int32_t graphs);
template <class PairsView>
ListedPairs<PairsView> numbered(const PairList<PairsView>& list, std::int32_t) {
  return {list.pairs};
}

/// A list of pairs of two sets, as pairs of both one behind the other. One that names no graph stays so.
template <class PairsView>
struct PairsAcross {
  PairsView pairs;
  std::int32_t rows;
  std::int32_t columns;
  KOKKOS_INLINE_FUNCTION std::size_t extent(int) const { return pairs.extent(0); }
  KOKKOS_INLINE_FUNCTION Pair operator()(std::size_t k) const {
    const Pair pair = pairs(k);
    const bool right = pair.first >= 0 && pair.first < rows && pair.second >= 0 && pair.second < columns;
    return right ? Pair{pair.first, rows + pair.second} : Pair{-1, -1};
  }
};

/// The pairs of two sets as those of both, one behind the other.
inline Rectangle across(AllPairs, std::int32_t rows, std::int32_t columns) { return {0, rows, rows, columns}; }
template <class PairsView>
PairList<PairsAcross<PairsView>> across(const PairList<PairsView>& list, std::int32_t rows, std::int32_t columns) {
  return {{list.pairs, rows, columns}};
}

}  // namespace detail
}  // namespace octile
