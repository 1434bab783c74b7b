// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/uninitialized.hpp>
#include <octile/cuda/plan/tiers.hpp>
#include <octile/graph.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/kernels/factors.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Graphs in the forms that the factored products of the native backend read. A graph's vertices are renumbered by
// falling degree, so that rows that are processed together have similar lengths.
namespace octile::cuda {

/// An element of a row: A_ij φ_k(E_ij) for Chunk factors k, and j. It has 8 bytes for one factor, 16 for three.
template <int Chunk>
struct FactorEntry {
  float factors[Chunk];
  std::uint32_t column;
};

/// How many rows are stored interleaved, and the value that stands for a missing end of an edge.
inline constexpr int rows_a_four = 4;
inline constexpr std::uint32_t no_end = 0xFFFF;

/// Which of the forms of `FactorLists` are laid out.
struct FactorForms {
  const Factors* factors = nullptr;  ///< dense factors
  std::size_t chunk = 0;             ///< factors in each entry; 0: no entries
  bool spots = false;
  bool fours = false;
};

/// Builds the factored forms of a set on the host, graph by graph:
///
///     entries    `FactorEntry`s row by row, padded with zero factors to an even number a row; all rows for each chunk
///     fours      groups of four rows: two edges of each row in turn, repeated for the longest row, padded with `no_end`
///     spots      i | j << 16 row by row. For each factor the elements' values, as sums of two halves, divided by the graph's
///                `spot_scale` and by a power of two of the factor, so that they lie between -1 and 1
class FactorLists {
 public:
  explicit FactorLists(const FactorForms& forms) : forms_(forms) {}

  /// Adds a graph whose edge e is record `records[e]` of the factors and weighs `weights[e]`. Returns its vertices in
  /// their new order.
  VertexOrder add(const Graph& graph, std::span<const std::uint32_t> records, std::span<const float> weights);

  /// Appends the graphs of other lists with the same forms, their arrays side by side.
  void append(std::span<const FactorLists* const> more);

  std::size_t chunks() const;
  /// Elements in the rows of the graph added last, with padding: ends in fours, if they are laid out, or entries.
  /// Without either form it is the number of elements.
  std::size_t last_elements() const { return last_elements_; }
  std::size_t bytes() const;

  /// The entries as words in the order of the device's array: chunk after chunk.
  UninitializedVector<std::uint32_t> entry_words() const;

  std::uint32_t entries() const { return static_cast<std::uint32_t>(entries_.vertex.size()); }

  const std::vector<std::uint32_t>& row_begin() const { return row_begin_; }  ///< one a vertex, and the end

  /// The ends of edges, two a word, and their first factors.
  UninitializedVector<std::uint32_t> four_ends() const;
  UninitializedVector<float> four_factors() const;
  const std::vector<std::uint32_t>& four_begin() const {
    return four_begin_;
  }  ///< one for each group of four rows, and the end; counted in four words
  const std::vector<std::uint32_t>& first_four() const { return first_four_; }  ///< one a graph, an index of four_begin

  const std::vector<std::uint32_t>& spots() const { return spots_.vertex; }
  const std::vector<std::uint32_t>& spot_begin() const { return spot_begin_; }  ///< one a graph, and the end
  const std::vector<float>& spot_scale() const { return spot_scale_; }          ///< one a graph
  /// Factor after factor, one word a spot: the value rounded to half precision in the low bits, the remainder in the high bits.
  /// `squares` are the `factor_squares`.
  UninitializedVector<std::uint32_t> spot_words(std::span<const float> squares) const;

 private:
  static constexpr std::uint32_t padding = 0xFFFFFFFF;

  struct Element {
    std::uint32_t vertex;
    std::uint32_t edge;
  };
  /// Elements in the order in which the device reads them: the edge's other end, record and weight.
  struct List {
    std::vector<std::uint32_t> vertex;
    std::vector<std::uint32_t> record;  ///< `padding` for padding
    std::vector<float> weight;

    void add(std::uint32_t end, std::uint32_t its_record, float its_weight) {
      vertex.push_back(end);
      record.push_back(its_record);
      weight.push_back(its_weight);
    }
    void add_padding(std::uint32_t end) { add(end, padding, 0); }
  };
  using Rows = std::vector<std::vector<Element>>;

  void append_begins(const FactorLists& more);
  void append_elements(std::span<const FactorLists* const> more);
  void add_entries(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights);
  void add_fours(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights);
  void add_spots(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights);

  FactorForms forms_;
  List entries_;
  std::vector<std::uint32_t> row_begin_{0};
  List fours_;
  std::vector<std::uint32_t> four_begin_{0};
  std::vector<std::uint32_t> first_four_;
  List spots_;
  std::vector<std::uint32_t> spot_begin_{0};
  std::vector<float> spot_scale_;
  std::size_t last_elements_ = 0;
};

/// For each factor its level: a product may leave out this and all further factors once √slack of `iterate` reaches it.
/// It is the error of the sum without them, divided by what may be lost.
std::vector<float> factor_levels(const Factors& factors);

/// For each factor, the square of the smallest power of two that is not below its largest value.
std::vector<float> factor_squares(const Factors& factors);

/// The bits of x rounded to half precision, to nearest, ties to even; |x| ≤ 65,504.
std::uint16_t bits_of_half(double x);

}  // namespace octile::cuda
