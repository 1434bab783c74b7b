// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/cuda/layout/vertex_arrays.hpp>
#include <octile/cuda/plan/tier.hpp>
#include <octile/graphs/octile_set.hpp>

#include <type_traits>

namespace octile::cuda {

// Who reads edges by factors includes factor_arrays.hpp; who reads octiles, of the paper's experiment, paper/octile_arrays.hpp.
template <class MemorySpace>
struct FactorArrays;
template <class EdgeLabel, class MemorySpace>
struct OctileArrays;

/// The edges of a set in the form that the products of a kind read.
template <Product Kind, class EdgeLabel, class MemorySpace>
using EdgeArrays = std::conditional_t<
    Kind == Product::slices, SliceArrays<EdgeLabel, MemorySpace>,
    std::conditional_t<Kind == Product::octiles, OctileArrays<EdgeLabel, MemorySpace>, FactorArrays<MemorySpace>>>;

/// A set of graphs in one memory space, in the form that the products of a kind read. Kernels take this.
template <Product Kind, class VertexLabel, class EdgeLabel, class MemorySpace>
struct ProductSet : VertexArrays<VertexLabel, MemorySpace>, EdgeArrays<Kind, EdgeLabel, MemorySpace> {
  using scalar_type = float;
  using vertex_label_type = VertexLabel;
  using edge_label_type = EdgeLabel;
  using memory_space = MemorySpace;
  static constexpr bool has_edge_labels = !std::is_same_v<EdgeLabel, NoLabel>;
};

}  // namespace octile::cuda
