// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/tiers.hpp>
#include <octile/factors.hpp>
#include <octile/graph.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Graphs as the factored products of the native backend read them. A graph's vertices are renumbered, by falling
// degree, so that rows that are read side by side are about as long.
namespace octile::cuda {

/// An element of a row: A_ij φ_k(E_ij) for Chunk factors, and j. 8 bytes for one, 16 for three.
template <int Chunk>
struct FactorEntry {
  float factors[Chunk];
  std::uint32_t column;
};

/// Rows whose edges' ends lie side by side, and what stands for an end that is not there.
inline constexpr int rows_a_four = 4;
inline constexpr std::uint32_t no_end = 0xFFFF;

/// Which of the forms are laid out.
struct FactorForms {
  const Factors* factors = nullptr;  ///< dense
  std::size_t chunk = 0;             ///< entries of so many factors at once; 0: none
  bool spots = false;
  bool fours = false;
};

/// The host's side of the factored form of a set, as it grows graph by graph:
///
///     entries    row by row `FactorEntry`s, an even number a row, padding of factor 0 among them; chunk after chunk
///     fours      rows four by four: of each in turn two edges, as often as the longest row needs, or padding of no end
///     spots      row by row i | j << 16, and for each factor their values as two in half precision, between -1 and 1: what
///                `spot_scale` of the graph and the factor's power of two are divided out of
class FactorLists {
 public:
  explicit FactorLists(const FactorForms& forms) : forms_(forms) {}

  /// Adds a graph whose edge e is record `records[e]` of the factors and weighs `weights[e]`. Gives its vertices in
  /// their new order.
  std::vector<std::uint32_t> add(const Graph& graph, std::span<const std::uint32_t> records,
                                 std::span<const float> weights);

  /// Adds the graphs of other lists, of the same forms, behind those that are here.
  void append(const FactorLists& more);

  std::size_t chunks() const;
  /// Entries of the graph last added, with padding, or ends in fours; or, where there are none, its elements.
  std::size_t last_elements() const { return last_elements_; }
  std::size_t bytes() const;

  /// Words in the order in which the device has them: chunk after chunk.
  std::vector<std::uint32_t> entry_words() const;

  std::uint32_t entries() const { return static_cast<std::uint32_t>(entries_.vertex.size()); }

  const std::vector<std::uint32_t>& row_begin() const { return row_begin_; }  ///< a vertex, and the end

  /// Two ends a word, and their first factors.
  std::vector<std::uint32_t> four_ends() const;
  std::vector<float> four_factors() const;
  const std::vector<std::uint32_t>& four_begin() const {
    return four_begin_;
  }  ///< four rows, and the end, in fours of words
  const std::vector<std::uint32_t>& first_four() const { return first_four_; }  ///< a graph, into four_begin

  const std::vector<std::uint32_t>& spots() const { return spots_.vertex; }
  const std::vector<std::uint32_t>& spot_begin() const { return spot_begin_; }  ///< a graph, and the end
  const std::vector<float>& spot_scale() const { return spot_scale_; }          ///< a graph
  /// Factor after factor: a number in half precision, and above it what it leaves.
  std::vector<std::uint32_t> spot_words() const;

 private:
  static constexpr std::uint32_t padding = 0xFFFFFFFF;

  struct Element {
    std::uint32_t vertex;
    std::uint32_t edge;
  };
  /// Edges in the order in which they are read: the other end, the record and the weight.
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
    void append(const List& more);
  };
  using Rows = std::vector<std::vector<Element>>;

  void add_entries(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights);
  void add_fours(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights);
  void add_spots(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights);
  float factor(const List& list, std::size_t element, std::size_t k) const;

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

/// Of each factor, √slack that `iterate` has to offer before it may be left out: the error without it and those behind it,
/// in units of what may be lost.
std::vector<float> factor_levels(const Factors& factors);

/// Of each factor, the power of two next above its largest value, squared.
std::vector<float> factor_squares(const Factors& factors);

/// The bits of the number in half precision next to x, even ones if there are two, |x| ≤ 65,504.
std::uint16_t bits_of_half(double x);

}  // namespace octile::cuda
