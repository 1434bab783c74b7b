// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/layout/factor_lists.hpp>
#include <octile/cuda/plan/pairs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::cuda {

/// Entries of the rows, one row after the other, for pairs of any size (`FactoredProduct`).
template <class MemorySpace>
struct FactorEntryArrays {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  Array<std::uint32_t> row_begin;
  Array<std::uint32_t> entries;  ///< words
  std::uint32_t factor_chunks = 0;
  std::uint32_t entry_count = 0;  ///< entries of one chunk
};

/// Ends of edges in groups of four rows (`StripProduct`).
template <class MemorySpace>
struct StripArrays {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  Array<std::uint32_t> four_ends;
  Array<float> four_factors;
  Array<std::uint32_t> four_begin;
  Array<std::uint32_t> first_four;
};

/// Positions of the edges in the matrix, for `DenseProduct`, and their factors, which `DenseSumProduct` reads too.
template <class MemorySpace>
struct SpotArrays {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

  Array<std::uint32_t> spots;
  Array<std::uint32_t> spot_begin;
  Array<std::uint32_t> spot_words;
  Array<float> spot_scale;     ///< of each graph
  Array<float> factor_levels;  ///< of each factor
  Array<float> factor_scales;  ///< T_k is multiplied by this
  double factor_scale = 1;     ///< the sum over all factors still has to be multiplied by this
};

/// The edges of a set in the forms of `FactorLists`, in one memory space. Vertices are numbered by falling degree.
/// Arrays of forms that are not laid out are empty.
template <class MemorySpace>
struct FactorArrays : FactorEntryArrays<MemorySpace>, StripArrays<MemorySpace>, SpotArrays<MemorySpace> {};

/// Builds `FactorArrays` on the host, graph by graph.
class FactorArrayLists {
 public:
  explicit FactorArrayLists(const FactorForms& forms) : forms_(forms), lists_(forms) {}

  /// Adds a graph; `weight_of(e)` and `record_of(e)` give weight and record of edge e. Returns the vertices in their new order.
  template <class Weight, class ReadEdge>
  VertexOrder add(const Graph& graph, const Weight& weight_of, const ReadEdge& record_of) {
    std::vector<std::uint32_t> records(graph.edge_count());
    std::vector<float> weights(graph.edge_count());
    for (std::uint32_t e = 0; e < records.size(); ++e) {
      records[e] = record_of(e);
      weights[e] = weight_of(e);
    }
    VertexOrder order = lists_.add(graph, records, weights);
    row_elements_.push_back(lists_.last_elements());
    return order;
  }

  /// Appends the graphs of other lists.
  void append(std::span<const FactorArrayLists* const> more) {
    std::vector<const FactorLists*> lists;
    for (const FactorArrayLists* part : more) {
      lists.push_back(&part->lists_);
      row_elements_.insert(row_elements_.end(), part->row_elements_.begin(), part->row_elements_.end());
    }
    lists_.append(lists);
  }

  /// For each graph: the elements of its rows, and its costs, which only slices have.
  const std::vector<std::size_t>& row_elements() const { return row_elements_; }
  std::vector<SliceCosts> costs() const { return std::vector<SliceCosts>(row_elements_.size()); }
  static float largest_label() { return 0; }

  std::size_t bytes() const { return lists_.bytes(); }

  /// `copy(name, values)` gives a View of values in the memory of `arrays`.
  template <class MemorySpace, class Copy>
  void copy_to(FactorArrays<MemorySpace>& arrays, const Copy& copy) const {
    arrays.row_begin = copy("row_begin", lists_.row_begin());
    arrays.entries = copy("factor_entries", lists_.entry_words());
    arrays.factor_chunks = static_cast<std::uint32_t>(lists_.chunks());
    arrays.entry_count = lists_.entries();
    if (forms_.fours) copy_strips(arrays, copy);
    if (forms_.spots) copy_spots(arrays, copy);
  }

 private:
  template <class MemorySpace, class Copy>
  void copy_strips(StripArrays<MemorySpace>& arrays, const Copy& copy) const {
    arrays.four_ends = copy("four_ends", lists_.four_ends());
    arrays.four_factors = copy("four_factors", lists_.four_factors());
    arrays.four_begin = copy("four_begin", lists_.four_begin());
    arrays.first_four = copy("first_four", lists_.first_four());
  }

  /// A product of one factor reads positions only. T is scaled by 1/8, so that sums of 96 terms stay below the largest half.
  template <class MemorySpace, class Copy>
  void copy_spots(SpotArrays<MemorySpace>& arrays, const Copy& copy) const {
    arrays.spots = copy("factor_spots", lists_.spots());
    arrays.spot_begin = copy("spot_begin", lists_.spot_begin());
    if (forms_.chunk == 1) return;
    constexpr float part = 0.125F;
    std::vector<float> scales = factor_squares(*forms_.factors);
    arrays.spot_words = copy("spot_words", lists_.spot_words(scales));
    const float first = scales.empty() ? 1 : scales[0];
    for (float& scale : scales) scale *= part / first;
    arrays.factor_scale = static_cast<double>(first) / static_cast<double>(part);
    arrays.spot_scale = copy("spot_scale", lists_.spot_scale());
    arrays.factor_levels = copy("factor_levels", cuda::factor_levels(*forms_.factors));
    arrays.factor_scales = copy("factor_scales", scales);
  }

  FactorForms forms_;
  FactorLists lists_;
  std::vector<std::size_t> row_elements_;
};

}  // namespace octile::cuda
