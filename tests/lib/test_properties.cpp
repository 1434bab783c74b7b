// SPDX-License-Identifier: BSD-3-Clause
// Properties that hold for all kernels and all graphs. RapidCheck draws them. It prints its seed first;
// RC_PARAMS="seed=…" draws the same again.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

Graph drawn_graph(std::int32_t most_vertices = 12) {
  const auto n = *rc::gen::inRange<std::int32_t>(1, most_vertices + 1);
  const auto percent = *rc::gen::inRange(0, 101);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  return random_graph(n, percent / 100.0, seed);
}

std::vector<Graph> drawn_graphs(std::size_t count) {
  std::vector<Graph> graphs;
  for (std::size_t k = 0; k < count; ++k) graphs.push_back(drawn_graph());
  return graphs;
}

KernelCase drawn_kernel() { return *rc::gen::elementOf(kernel_cases()); }

Stopping drawn_stopping() {
  const bool weight = *rc::gen::arbitrary<bool>();
  const double q = *rc::gen::element(0.9, 0.5, 0.1, 0.05, 0.01, 0.0005);
  return {weight ? StoppingMeaning::weight : StoppingMeaning::probability, q};
}

/// Properties are tested on the portable backend in float64. test_conformance tests that the others agree with it.
GramOptions options() {
  GramOptions chosen;
  chosen.solve.tolerance = tolerance::solve(Precision::float64);
  return chosen;
}

double k_of(const Graph& first, const Graph& second, const KernelSpec& spec) {
  const NodewiseResult result = nodewise(first, second, spec, options());
  RC_ASSERT(settled(result.pair, Precision::float64, spec.stopping, most_terms(first, second)));
  return result.pair.value;
}

void assert_close(double a, double b) { RC_ASSERT(std::abs(a - b) <= tolerance::identity * std::abs(b)); }

/// The graph with all weights times `factor`.
Graph scaled(const Graph& graph, double factor) {
  std::vector<Edge> edges = graph.edges();
  for (Edge& edge : edges) edge.weight *= factor;
  return Graph::from_edges(graph.name(), graph.vertex_count(), std::move(edges), graph.vertex_labels(),
                           graph.edge_labels());
}

/// A random graph with a path through all of its vertices, two or more.
Graph drawn_connected_graph() {
  const auto n = *rc::gen::inRange<std::int32_t>(2, 13);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::vector<Edge> edges = path_edges(n);
  for (const Edge& edge : random_edges(n, *rc::gen::inRange(0, 101) / 100.0, seed)) {
    if (edge.j != edge.i + 1) edges.push_back(edge);
  }
  return labelled("connected " + std::to_string(seed), n, weighted(std::move(edges), seed), seed);
}

/// Two graphs, what their weights are multiplied by, and a stopping parameter.
struct DrawnScaling {
  Graph first;
  Graph second;
  double factor = *rc::gen::element(1e-3, 0.3, 7.0, 1e4);
  double q = *rc::gen::element(0.5, 0.05, 0.0005);
};

/// The least κv between two graphs.
double least_vertex_kernel(const Graph& first, const Graph& second, const KernelCase& kernel) {
  double least = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(first.vertex_count()); ++i) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(second.vertex_count()); ++k) {
      least = std::min(least, kernel.kappa_v(first, i, second, k));
    }
  }
  return least;
}

Eigen::MatrixXd matrix_of(const GramResult& result) {
  const auto n = static_cast<Eigen::Index>(result.size);
  return Eigen::Map<const Eigen::MatrixXd>(result.values.data(), n, n);
}

}  // namespace

TEST_CASE("pair_index numbers the upper triangle row by row, without gap or repetition") {
  for (const std::size_t size : {1, 2, 7, 64}) {
    std::size_t expected = 0;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i; j < size; ++j) CHECK(pair_index(i, j, size) == expected++);
    }
    CHECK(expected == size * (size + 1) / 2);
  }
}

TEST_CASE("K is symmetric, and so is the node-wise similarity") {
  CHECK(rc::check("K(G, G') = K(G', G)", [] {
    const Graph first = drawn_graph();
    const Graph second = drawn_graph();
    const KernelSpec spec = drawn_kernel().spec(drawn_stopping());

    const NodewiseResult forth = nodewise(first, second, spec, options());
    const NodewiseResult back = nodewise(second, first, spec, options());

    assert_close(forth.pair.value, back.pair.value);
    const auto n = static_cast<std::size_t>(first.vertex_count());
    const auto m = static_cast<std::size_t>(second.vertex_count());
    const double largest = *std::ranges::max_element(forth.similarity);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        RC_ASSERT(std::abs(forth.similarity[i * m + k] - back.similarity[k * n + i]) <= tolerance::identity * largest);
      }
    }
  }));
}

TEST_CASE("K is the p-weighted sum of the node-wise similarity") {
  CHECK(rc::check("K = Σ p p' x", [] {
    Graph first = drawn_graph();
    const Graph second = drawn_graph();
    std::vector<double> p(static_cast<std::size_t>(first.vertex_count()), 0.0);
    p.front() += 0.25;
    p.back() += 0.75;
    first.set_starting_probability(p);

    const NodewiseResult result = nodewise(first, second, drawn_kernel().spec(drawn_stopping()), options());

    double sum = 0;
    const auto m = static_cast<std::size_t>(second.vertex_count());
    RC_ASSERT(result.similarity.size() == p.size() * m);
    for (std::size_t k = 0; k < result.similarity.size(); ++k) {
      RC_ASSERT(result.similarity[k] > 0.0);
      sum += p[k / m] * second.starting_probability()[k % m] * result.similarity[k];
    }
    RC_ASSERT(std::abs(sum - result.pair.value) <= tolerance::sums * sum);
  }));
}

TEST_CASE("renaming vertices changes nothing but the order of the node-wise similarity") {
  CHECK(rc::check("K(πG, G') = K(G, G')", [] {
    Graph first = drawn_graph();
    const Graph second = drawn_graph();
    const auto order = random_order(first.vertex_count(), *rc::gen::arbitrary<std::uint32_t>());
    const KernelSpec spec = drawn_kernel().spec(drawn_stopping());

    const NodewiseResult before = nodewise(first, second, spec, options());
    const NodewiseResult after = nodewise(first.reordered(order), second, spec, options());

    assert_close(after.pair.value, before.pair.value);
    const auto m = static_cast<std::size_t>(second.vertex_count());
    const double largest = *std::ranges::max_element(before.similarity);
    for (std::size_t k = 0; k < before.similarity.size(); ++k) {
      const auto old = static_cast<std::size_t>(order[k / m]) * m + k % m;
      RC_ASSERT(std::abs(after.similarity[k] - before.similarity[old]) <= tolerance::identity * largest);
    }
  }));
}

TEST_CASE("a Gram matrix is exactly symmetric, positive semidefinite, and normalised at most 1") {
  CHECK(rc::check("Gram matrices", [] {
    const std::vector<Graph> graphs = drawn_graphs(static_cast<std::size_t>(*rc::gen::inRange(1, 9)));
    const KernelSpec spec = drawn_kernel().spec(drawn_stopping());
    GramOptions chosen = options();

    const GramResult raw = gram(graphs, spec, chosen);
    chosen.normalize = true;
    const GramResult normalised = gram(graphs, spec, chosen);

    for (const GramResult* result : {&raw, &normalised}) {
      const Eigen::MatrixXd k = matrix_of(*result);
      RC_ASSERT(k == k.transpose());
      const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(k).eigenvalues();
      RC_ASSERT(eigenvalues.minCoeff() >= -tolerance::semidefinite * eigenvalues.maxCoeff());
    }
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      RC_ASSERT(normalised.values[i * graphs.size() + i] == 1.0);
      for (std::size_t j = i; j < graphs.size(); ++j) {
        // Cauchy–Schwarz: nothing is more similar to a graph than the graph itself.
        RC_ASSERT(normalised.values[i * graphs.size() + j] <= 1 + tolerance::identity);
        const double k = raw.pairs[pair_index(i, j, graphs.size())].value;
        RC_ASSERT(raw.values[i * graphs.size() + j] == k);
        const double k_i = raw.pairs[pair_index(i, i, graphs.size())].value;
        const double k_j = raw.pairs[pair_index(j, j, graphs.size())].value;
        RC_ASSERT(std::abs(normalised.values[i * graphs.size() + j] - k / std::sqrt(k_i * k_j)) <=
                  tolerance::roundings);
      }
    }
  }));
}

TEST_CASE("a walk stops at once with q²κv, and at last with certainty: q² min κv ≤ K ≤ q/(2−q)") {
  // Lower: the series' first term. Upper, for a probability: at every step the walk goes on with at most (1−q)², so
  // K ≤ Σ_ℓ q² (1−q)^2ℓ = q/(2−q). For a weight: it goes on with at most ρρ', ρ = s/(s+q), s the largest Σ_j A_ij.
  CHECK(rc::check("bounds", [] {
    const Graph first = drawn_graph();
    const Graph second = drawn_graph();
    const KernelCase kernel = drawn_kernel();
    const Stopping stopping = drawn_stopping();
    const double q = stopping.q();
    const auto go_on = [&](const Graph& graph) {
      if (stopping.meaning() == StoppingMeaning::probability) return 1 - q;
      const double largest = std::ranges::max(graph.weighted_degrees());
      return largest / (largest + q);
    };

    const double k = k_of(first, second, kernel.spec(stopping));

    RC_ASSERT(k >= q * q * least_vertex_kernel(first, second, kernel) * (1 - tolerance::identity));
    RC_ASSERT(k <= q * q / (1 - go_on(first) * go_on(second)) * (1 + tolerance::identity));
  }));
}

TEST_CASE("without labels or isolated vertices the normalised walk gives q/(2−q) for all graphs") {
  CHECK(rc::check("K = q/(2−q)", [] {
    const Graph first = drawn_connected_graph();
    const Graph second = drawn_connected_graph();
    const double q = *rc::gen::element(0.9, 0.5, 0.05, 0.0005);
    assert_close(k_of(first, second, unlabelled().spec({StoppingMeaning::probability, q})), q / (2 - q));
  }));
}

TEST_CASE("the normalised walk does not see the scale of the weights") {
  // For connected graphs, on which every degree scales with c. (In a graph without edges degrees are 1 for any c. They
  // cancel there, but a test with such graphs would say nothing about scales.)
  CHECK(rc::check("K(cG, G') = K(G, G')", [] {
    const DrawnScaling drawn{drawn_connected_graph(), drawn_connected_graph()};
    const KernelSpec spec = drawn_kernel().spec({StoppingMeaning::probability, drawn.q});
    assert_close(k_of(scaled(drawn.first, drawn.factor), drawn.second, spec), k_of(drawn.first, drawn.second, spec));
  }));
}

TEST_CASE("weights and a stopping weight scaled together scale K by the square") {
  // D and A scale by c for each graph, so x scales as q× does, by c².
  CHECK(rc::check("K(cG, cG'; cq) = c² K(G, G'; q)", [] {
    const DrawnScaling drawn{drawn_graph(), drawn_graph()};
    const double c = drawn.factor;
    const KernelCase kernel = drawn_kernel();
    assert_close(
        k_of(scaled(drawn.first, c), scaled(drawn.second, c), kernel.spec({StoppingMeaning::weight, c * drawn.q})),
        c * c * k_of(drawn.first, drawn.second, kernel.spec({StoppingMeaning::weight, drawn.q})));
  }));
}

TEST_CASE("the kernel of a disjoint union is the mean over its parts, weighted by their vertices") {
  // No walk crosses, and p is uniform over all.
  CHECK(rc::check("K(G + H, G') = (n K(G, G') + h K(H, G')) / (n + h)", [] {
    const Graph part = drawn_graph();
    const Graph other_part = drawn_graph();
    const Graph second = drawn_graph();
    const KernelSpec spec = drawn_kernel().spec(drawn_stopping());
    const double n = part.vertex_count();
    const double h = other_part.vertex_count();
    assert_close(k_of(disjoint_union(part, other_part), second, spec),
                 (n * k_of(part, second, spec) + h * k_of(other_part, second, spec)) / (n + h));
  }));
}

TEST_CASE("less similar edges never make graphs more similar") {
  CHECK(rc::check("κe ≤ κe' ⇒ K ≤ K'", [] {
    const Graph first = drawn_graph();
    const Graph second = drawn_graph();
    const Stopping stopping = drawn_stopping();
    const auto spec = [&stopping](const char* edge) {
      return KernelSpec{Expression::parse("1"), Expression::parse(edge), stopping};
    };
    const double strict = k_of(first, second, spec("0.5 * gaussian(length, 0.3)"));
    const double lenient = k_of(first, second, spec("gaussian(length, 0.3)"));
    const double blind = k_of(first, second, spec("1"));
    RC_ASSERT(strict <= lenient * (1 + tolerance::identity));
    RC_ASSERT(lenient <= blind * (1 + tolerance::identity));
  }));
}

TEST_CASE("a graph without labels but of weight zero edges is the graph without these edges") {
  const Graph with = bare("with", 4, {{0, 1, 1.0}, {1, 2, 0.0}, {2, 3, 2.0}});
  const Graph without = bare("without", 4, {{0, 1, 1.0}, {2, 3, 2.0}});
  const KernelSpec spec = unlabelled().spec({StoppingMeaning::weight, 0.05});

  CHECK(nodewise(with, with, spec).pair.value == nodewise(without, without, spec).pair.value);
}
