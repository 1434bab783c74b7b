// SPDX-License-Identifier: BSD-3-Clause
#include "common/graphs.hpp"

#include <numeric>
#include <utility>

namespace octile::test {
namespace {

template <class Value, class Draw>
std::vector<Value> column(std::size_t count, const Draw& draw) {
  std::vector<Value> values;
  for (std::size_t k = 0; k < count; ++k) values.push_back(draw());
  return values;
}

template <class Value, class Draw>
std::vector<Value> list(std::int32_t count, const Draw& draw) {
  return column<Value>(static_cast<std::size_t>(count), draw);
}

LabelColumns append(const LabelColumns& first, const LabelColumns& second) {
  LabelColumns both = first;
  for (auto& [attribute, values] : both) {
    std::visit(
        [&more = second.at(attribute)](auto& head) {
          const auto& tail = std::get<std::decay_t<decltype(head)>>(more);
          head.insert(head.end(), tail.begin(), tail.end());
        },
        values);
  }
  return both;
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

double Random::uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

std::int32_t Random::below(std::int32_t bound) {
  return static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(bound));
}

std::vector<Edge> path_edges(std::int32_t n) {
  std::vector<Edge> edges;
  for (std::int32_t i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1, 1.0});
  return edges;
}

std::vector<Edge> cycle_edges(std::int32_t n) {
  std::vector<Edge> edges = path_edges(n);
  if (n > 2) edges.push_back({n - 1, 0, 1.0});
  return edges;
}

std::vector<Edge> star_edges(std::int32_t n) {
  std::vector<Edge> edges;
  for (std::int32_t i = 1; i < n; ++i) edges.push_back({0, i, 1.0});
  return edges;
}

std::vector<Edge> complete_edges(std::int32_t n) { return random_edges(n, 1.0, 0); }

std::vector<Edge> random_edges(std::int32_t n, double density, std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = i + 1; j < n; ++j) {
      if (random.uniform() < density) edges.push_back({i, j, 1.0});
    }
  }
  return edges;
}

std::vector<Edge> bipartite_edges(std::int32_t left, std::int32_t right) {
  std::vector<Edge> edges;
  for (std::int32_t i = 0; i < left; ++i) {
    for (std::int32_t j = 0; j < right; ++j) edges.push_back({i, left + j, 1.0});
  }
  return edges;
}

std::vector<Edge> weighted(std::vector<Edge> edges, std::uint64_t seed) {
  Random random(seed);
  for (Edge& edge : edges) edge.weight = 0.25 + 1.75 * random.uniform();
  return edges;
}

Graph labelled(std::string name, std::int32_t n, std::vector<Edge> edges, std::uint64_t seed) {
  Random random(seed);
  const auto text_of = [&random](const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(texts.size())))];
  };
  const auto element = [&] { return text_of({"C", "N", "O"}); };
  const auto bond = [&] { return text_of({"-", "=", "#"}); };
  const auto real = [&] { return random.uniform(); };
  const auto vertex_count = static_cast<std::size_t>(n);
  const std::size_t edge_count = edges.size();

  LabelColumns vertices;
  vertices["element"] = column<std::string>(vertex_count, element);
  vertices["kind"] = column<std::int64_t>(vertex_count, [&] { return std::int64_t{random.below(3)}; });
  vertices["charge"] = column<double>(vertex_count, real);
  vertices["tags"] = column<TextList>(vertex_count, [&] { return list<std::string>(1 + random.below(3), element); });
  vertices["sizes"] = column<RealList>(vertex_count, [&] { return list<double>(1 + random.below(3), real); });
  LabelColumns of_edges;
  of_edges["bond"] = column<std::string>(edge_count, bond);
  of_edges["order"] = column<std::int64_t>(edge_count, [&] { return std::int64_t{1 + random.below(3)}; });
  of_edges["length"] = column<double>(edge_count, real);
  of_edges["words"] = column<TextList>(edge_count, [&] { return list<std::string>(random.below(3), bond); });
  of_edges["parts"] = column<RealList>(edge_count, [&] { return list<double>(random.below(4), real); });
  // Vectors of one length.
  vertices["point"] = column<RealList>(vertex_count, [&] { return list<double>(3, real); });
  of_edges["profile"] = column<RealList>(edge_count, [&] { return list<double>(4, real); });
  return Graph::from_edges(std::move(name), n, std::move(edges), std::move(vertices), of_edges);
}

Graph labelled_path(const std::vector<double>& lengths) {
  const auto n = static_cast<std::int32_t>(lengths.size()) + 1;
  return Graph::from_edges("path", n, path_edges(n), {}, {{"length", lengths}});
}

Graph bare(std::string name, std::int32_t n, std::vector<Edge> edges) {
  return Graph::from_edges(std::move(name), n, std::move(edges));
}

Graph random_graph(std::int32_t n, double density, std::uint64_t seed) {
  return labelled("random " + std::to_string(n) + " seed " + std::to_string(seed), n,
                  weighted(random_edges(n, density, seed), seed + 1), seed + 2);
}

std::vector<Pair> pairs_from_both_ends(const std::vector<Graph>& graphs) {
  std::vector<Pair> pairs;
  const auto last = static_cast<std::int32_t>(graphs.size()) - 1;
  for (std::int32_t i = 0; i <= last; ++i) pairs.push_back({i, last - i});
  return pairs;
}

Graph disjoint_union(const Graph& first, const Graph& second) {
  std::vector<Edge> edges = first.edges();
  for (const Edge& edge : second.edges()) {
    edges.push_back({edge.i + first.vertex_count(), edge.j + first.vertex_count(), edge.weight});
  }
  return Graph::from_edges(first.name() + " and " + second.name(), first.vertex_count() + second.vertex_count(),
                           std::move(edges), append(first.vertex_labels(), second.vertex_labels()),
                           append(first.edge_labels(), second.edge_labels()));
}

std::vector<std::int32_t> random_order(std::int32_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t k = n - 1; k > 0; --k) {
    std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);
  }
  return order;
}

std::vector<Graph> small_graphs() {
  std::vector<Graph> graphs;
  const auto add = [&graphs](std::string name, std::int32_t n, std::vector<Edge> edges) {
    graphs.push_back(labelled(std::move(name), n, std::move(edges), 1000 + graphs.size()));
  };
  add("one vertex", 1, {});
  add("one edge", 2, path_edges(2));
  add("no edges 3", 3, {});
  add("edge and isolated vertex", 3, path_edges(2));
  add("path 7", 7, path_edges(7));
  add("cycle 8", 8, cycle_edges(8));
  add("complete 8", 8, complete_edges(8));
  add("star 9", 9, star_edges(9));
  add("weighted complete 9", 9, weighted(complete_edges(9), 1));
  add("two components 11", 11,
      weighted(disjoint_union(bare("", 5, cycle_edges(5)), bare("", 6, path_edges(6))).edges(), 2));
  add("full tile 16", 16, weighted(bipartite_edges(8, 8), 3));
  add("random 17", 17, weighted(random_edges(17, 0.3, 4), 5));
  return graphs;
}

std::vector<Graph> graphs_near_few_directions() {
  constexpr std::int32_t count = 32;
  std::vector<Graph> graphs;
  graphs.reserve(count);
  for (std::int32_t k = 0; k < count; ++k) {
    graphs.push_back(random_graph(70 + 26 * k / 31, 0.15, 7 + static_cast<std::uint64_t>(k)));
  }
  return graphs;
}

std::vector<Graph> large_graphs() {
  std::vector<Graph> graphs;
  const auto add = [&graphs](std::string name, std::int32_t n, std::vector<Edge> edges) {
    graphs.push_back(labelled(std::move(name), n, std::move(edges), 2000 + graphs.size()));
  };
  add("sparse 31", 31, weighted(random_edges(31, 0.1, 11), 12));
  add("dense 33", 33, weighted(random_edges(33, 0.6, 13), 14));
  add("cycle 64", 64, cycle_edges(64));
  add("random 64", 64, weighted(random_edges(64, 0.15, 15), 16));
  add("random 65", 65, weighted(random_edges(65, 0.08, 17), 18));
  add("star 65", 65, star_edges(65));
  return graphs;
}

}  // namespace octile::test
