// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/leaf_list.hpp>
#include <octile/kernels/leaf_table.hpp>

#include <Kokkos_Macros.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

// The leaf kernels of two lists, as leaf_kernels.hpp has those of two labels. A new one is a struct and its place in the list
// `ListLeafKernels` below.
namespace octile {

/// All parts of a leaf kernel of lists. One that lacks a part does not compile. Its members are those of `ListLeafRow`, and
/// value(x, y) for host and device, in float and double.
template <class Leaf>
concept ListLeafKernel = requires(const ListElements<float>& in_float, const ListElements<double>& in_double) {
  requires !std::string_view(Leaf::name).empty();
  { Leaf::reads } -> std::convertible_to<ListReads>;
  requires !std::string_view(Leaf::equation).empty();
  requires !std::string_view(Leaf::values).empty();
  requires !std::string_view(Leaf::definite).empty();
  requires !std::string_view(Leaf::zero).empty();
  { Leaf::range } -> std::convertible_to<ValueRange>;
  { Leaf::unit } -> std::convertible_to<bool>;
  { Leaf::value(in_float, in_float) } -> std::same_as<float>;
  { Leaf::value(in_double, in_double) } -> std::same_as<double>;
};

/// The scalar product of two vectors of numbers that are not below 0.
struct DotLeaf {
  static constexpr std::string_view name = "dot";
  static constexpr ListReads reads = ListReads::vectors;
  static constexpr std::string_view equation = "x_1 y_1 + x_2 y_2 + ...";
  static constexpr std::string_view values = "0 and more: for use inside normalize";
  static constexpr std::string_view definite = "it is a scalar product";
  static constexpr std::string_view zero = "a dot of orthogonal vectors";
  static constexpr ValueRange range{0, std::numeric_limits<double>::infinity(), false};
  static constexpr bool unit = false;

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(const ListElements<T>& x, const ListElements<T>& y) {
    T sum = 0;
    for (std::int32_t k = 0; k < x.count && k < y.count; ++k) sum += x.values[k] * y.values[k];
    return sum;
  }
};

/// How many elements two sets share, of those that are in any of them. The elements of a list ascend. Gower 1971, for why it is
/// definite.
struct TanimotoLeaf {
  static constexpr std::string_view name = "tanimoto";
  static constexpr ListReads reads = ListReads::sets;
  static constexpr std::string_view equation = "|x and y| / |x or y|, 1 for two empty sets";
  static constexpr std::string_view values = "[0, 1]";
  static constexpr std::string_view definite = "it is the similarity of Jaccard and Tanimoto";
  static constexpr std::string_view zero = "a tanimoto of sets that share no element";
  static constexpr ValueRange range{0, 1, false};
  static constexpr bool unit = true;

  template <class T>
  KOKKOS_INLINE_FUNCTION static T value(const ListElements<T>& x, const ListElements<T>& y) {
    std::int32_t shared = 0;
    for (std::int32_t i = 0, j = 0; i < x.count && j < y.count;) {
      const T left = x.values[i];
      const T right = y.values[j];
      shared += left == right ? 1 : 0;
      i += left <= right ? 1 : 0;
      j += right <= left ? 1 : 0;
    }
    const std::int32_t all = x.count + y.count - shared;
    return all > 0 ? static_cast<T>(shared) / static_cast<T>(all) : T(1);
  }
};

/// Every leaf kernel of lists that there is.
using ListLeafKernels = LeafList<DotLeaf, TanimotoLeaf>;

}  // namespace octile
