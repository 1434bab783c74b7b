// SPDX-License-Identifier: BSD-3-Clause
// A set that is laid out by several threads equals the one that is laid out graph by graph.
#include <octile/cuda/layout/set.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

template <cuda::Product Kind>
using Builder = cuda::CudaSetBuilder<Kind, std::uint32_t, std::uint32_t>;
template <cuda::Product Kind>
using Set = cuda::CudaSet<Kind, std::uint32_t, std::uint32_t, Kokkos::HostSpace>;

/// More graphs than there are parts, of all kinds and sizes.
std::vector<Graph> graphs_of_all_kinds() {
  std::vector<Graph> graphs = small_graphs();
  for (const Graph& graph : large_graphs()) graphs.push_back(graph);
  for (std::int32_t n = 2; n < 80; ++n) {
    graphs.push_back(random_graph(n, 3.0 / n, static_cast<std::uint64_t>(n)));
  }
  graphs.push_back(bare("path", 140, path_edges(140)));
  return graphs;
}

std::uint32_t vertex_label(std::size_t g, std::size_t v) { return static_cast<std::uint32_t>((3 * g + v) % 7); }
std::uint32_t edge_label(std::size_t g, std::size_t e) { return static_cast<std::uint32_t>((g + e) % 4); }

/// Two factors of each of four records.
Factors two_factors() {
  Factors factors;
  factors.rank = factors.terms = 2;
  factors.values = {1, 0, 0.9, 0.1, 0.8, -0.3, 0.7, 0.5};
  factors.errors = {1, 0.25, 0};
  return factors;
}

template <class View>
void check_same(const char* name, const View& one, const View& other) {
  CAPTURE(name);
  const auto bytes = [](const View& view) { return std::as_bytes(std::span(view.data(), view.size())); };
  CHECK(std::ranges::equal(bytes(one), bytes(other)));
}

template <class T>
void check_same_vertices(const T& one, const T& other) {
  check_same("vertex_begin", one.vertex_begin, other.vertex_begin);
  check_same("degrees", one.degrees, other.degrees);
  check_same("starting", one.starting, other.starting);
  check_same("vertex_labels", one.vertex_labels, other.vertex_labels);
}

void check_same_edges(const Set<cuda::Product::slices>& one, const Set<cuda::Product::slices>& other) {
  check_same("slice_begin", one.slice_begin, other.slice_begin);
  check_same("row_begin", one.row_begin, other.row_begin);
  check_same("rows", one.rows, other.rows);
  check_same("row_weight", one.row_weight, other.row_weight);
  check_same("slices", one.slices, other.slices);
  check_same("lanes", one.lanes, other.lanes);
  check_same("slot_labels", one.slot_labels, other.slot_labels);
  check_same("slot_weights", one.slot_weights, other.slot_weights);
  check_same("slot_columns", one.slot_columns, other.slot_columns);
}

void check_same_edges(const Set<cuda::Product::octiles>& one, const Set<cuda::Product::octiles>& other) {
  check_same("octile_row_begin", one.octile_row_begin, other.octile_row_begin);
  check_same("octile_begin", one.octile_begin, other.octile_begin);
  check_same("octiles", one.octiles, other.octiles);
  check_same("octile_weights", one.octile_weights, other.octile_weights);
  check_same("octile_labels", one.octile_labels, other.octile_labels);
}

void check_same_edges(const Set<cuda::Product::factored>& one, const Set<cuda::Product::factored>& other) {
  check_same("row_begin", one.row_begin, other.row_begin);
  check_same("entries", one.entries, other.entries);
  check_same("four_ends", one.four_ends, other.four_ends);
  check_same("four_factors", one.four_factors, other.four_factors);
  check_same("four_begin", one.four_begin, other.four_begin);
  check_same("first_four", one.first_four, other.first_four);
  check_same("spots", one.spots, other.spots);
  check_same("spot_begin", one.spot_begin, other.spot_begin);
  check_same("spot_words", one.spot_words, other.spot_words);
  check_same("spot_scale", one.spot_scale, other.spot_scale);
  CHECK(one.entry_count == other.entry_count);
}

template <cuda::Product Kind>
void check_layout(const cuda::Layout& layout) {
  const std::vector<Graph> graphs = graphs_of_all_kinds();
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  Builder<Kind> one_by_one(layout);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    one_by_one.add(
        graphs[g], stopping, [&](std::size_t v) { return vertex_label(g, v); },
        [&](std::size_t e) { return edge_label(g, e); });
  }
  Builder<Kind> together(layout);
  together.add_all(graphs, stopping, vertex_label, edge_label);

  CHECK(together.orders() == one_by_one.orders());
  CHECK(together.bytes() == one_by_one.bytes());
  CHECK(together.sizes().vertices == one_by_one.sizes().vertices);
  const Kokkos::DefaultHostExecutionSpace space;
  const auto one = together.build(space);
  const auto other = one_by_one.build(space);
  check_same_vertices(one, other);
  check_same_edges(one, other);
}

}  // namespace

TEST_CASE("slices are the same side by side as graph by graph") { check_layout<cuda::Product::slices>({}); }

TEST_CASE("octiles are the same side by side as graph by graph") {
  cuda::Layout layout;
  check_layout<cuda::Product::octiles>(layout);
  layout.empty_too = layout.expanded = true;
  check_layout<cuda::Product::octiles>(layout);
}

TEST_CASE("factors are the same side by side as graph by graph") {
  const Factors factors = two_factors();
  cuda::Layout layout;
  layout.factored.factors = &factors;
  layout.factored.chunk = 3;
  layout.factored.spots = true;
  check_layout<cuda::Product::factored>(layout);
  layout.factored = {};
  layout.factored.factors = &factors;
  layout.factored.chunk = 1;
  layout.factored.fours = true;
  check_layout<cuda::Product::factored>(layout);
}

TEST_CASE("a set of one graph is laid out, and one of none") {
  const std::vector<Graph> graphs{bare("edge", 2, path_edges(2))};
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  Builder<cuda::Product::slices> single;
  single.add_all(graphs, stopping, vertex_label, edge_label);
  CHECK(single.orders().size() == 1);
  Builder<cuda::Product::slices> empty;
  empty.add_all({}, stopping, vertex_label, edge_label);
  CHECK(empty.orders().empty());
}
