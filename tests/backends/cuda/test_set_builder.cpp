// SPDX-License-Identifier: BSD-3-Clause
// A set that is laid out by several threads equals the one that is laid out graph by graph.
#include <octile/cuda/layout/set_builder.hpp>
#include <octile/cuda/paper/octile_arrays.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

template <cuda::Product Kind>
using Builder = cuda::SetBuilder<Kind, std::uint32_t, std::uint32_t>;
template <cuda::Product Kind>
using Set = cuda::ProductSet<Kind, std::uint32_t, std::uint32_t, Kokkos::HostSpace>;

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
void check_same(const View& one, const View& other) {
  CAPTURE(one.label());
  const auto bytes = [](const View& view) { return std::as_bytes(std::span(view.data(), view.size())); };
  CHECK(std::ranges::equal(bytes(one), bytes(other)));
}

/// The Views that a layout is made of, of vertices and of edges.
template <class T>
auto vertex_views(const T& set) {
  return std::tie(set.vertex_begin, set.degrees, set.starting, set.vertex_labels);
}
auto edge_views(const Set<cuda::Product::slices>& set) {
  return std::tie(set.slice_begin, set.row_begin, set.rows, set.row_weight, set.slices, set.lanes, set.slot_labels,
                  set.slot_weights, set.slot_columns);
}
auto edge_views(const Set<cuda::Product::octiles>& set) {
  return std::tie(set.octile_row_begin, set.octile_begin, set.octiles, set.octile_weights, set.octile_labels);
}
auto edge_views(const Set<cuda::Product::factored>& set) {
  return std::tie(set.row_begin, set.entries, set.four_ends, set.four_factors, set.four_begin, set.first_four,
                  set.spots, set.spot_begin, set.spot_words, set.spot_scale);
}

template <class Views>
void check_same_views(const Views& one, const Views& other) {
  std::apply(
      [&](const auto&... of_one) {
        std::apply([&](const auto&... of_other) { (check_same(of_one, of_other), ...); }, other);
      },
      one);
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
  check_same_views(vertex_views(one), vertex_views(other));
  check_same_views(edge_views(one), edge_views(other));
  if constexpr (Kind == cuda::Product::factored) CHECK(one.entry_count == other.entry_count);
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
