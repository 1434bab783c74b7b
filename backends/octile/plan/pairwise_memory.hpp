// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/factors.hpp>
#include <octile/graph.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace octile::plan {

/// Of the memory, what each of two solvers gets that keep one set in two forms.
constexpr std::size_t memory_of_each(std::size_t memory) { return memory / 2; }

/// Whether a set fits both by element and by factors, with work space for its largest pair: each in its share. From
/// bounds that are generous enough for every backend, in either precision; what a solver really takes it counts itself.
inline bool both_forms_fit(std::span<const Graph> graphs, const Factors& factors, std::size_t memory) {
  // An element: weight, label and an octile of its own; or a place in a slice and one in rows, and padding for others.
  constexpr std::size_t element_bytes = 256;
  // Degree, p, label, rows.
  constexpr std::size_t vertex_bytes = 64;
  // A term: a value and its index; or one in chunks and two in bands, of which seven of eight places may be padding.
  constexpr std::size_t term_bytes = 64;
  constexpr std::size_t vectors = 8;
  constexpr std::size_t rows = 8;      // of G at a time
  constexpr std::size_t padding = 16;  // of columns
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
