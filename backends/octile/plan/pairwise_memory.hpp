// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/kernels/factors.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace octile::plan {

/// The memory of each of the two solvers that keep a set in two forms.
constexpr std::size_t memory_of_each(std::size_t memory) { return memory / 2; }

/// Whether a set fits both by element and by factors, each in its share, with work space for its largest pair. Uses
/// bounds that are safe for every backend in either precision. The solvers check what they really take.
inline bool both_forms_fit(std::span<const Graph> graphs, const Factors& factors, std::size_t memory) {
  // An element: weight, label and an octile of its own; or an element of a slice and one of a row, with padding.
  constexpr std::size_t element_bytes = 256;
  // A vertex: degree, starting probability, label, beginnings of rows.
  constexpr std::size_t vertex_bytes = 64;
  // A term of an element: a value and its index; or its parts of the native backend's forms, with padding.
  constexpr std::size_t term_bytes = 64;
  constexpr std::size_t vectors = 8;
  constexpr std::size_t rows = 8;      // rows of G that are multiplied at a time
  constexpr std::size_t padding = 16;  // columns of padding
  std::size_t elements = 0;
  std::size_t vertices = 0;
  std::size_t largest = 0;
  for (const Graph& graph : graphs) {
    const auto n = static_cast<std::size_t>(graph.vertex_count());
    elements += 2 * graph.edge_count();
    vertices += n;
    largest = std::max(largest, n);
  }
  const std::size_t by_element = elements * element_bytes + vertices * vertex_bytes;
  const std::size_t padded = largest + padding;
  const std::size_t pair = (vectors * largest * largest + padded * (largest + rows * factors.rank)) * sizeof(double);
  return by_element + elements * factors.terms * term_bytes + pair <= memory_of_each(memory);
}

}  // namespace octile::plan
