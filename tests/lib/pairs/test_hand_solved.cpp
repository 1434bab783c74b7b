// SPDX-License-Identifier: BSD-3-Clause
// Systems of at most 3×2 vertices, solved by hand. In every case the unknown x_ii' belongs to vertex i of G and i' of
// G', d is the degree, and the equation of row ii' reads
//
//     d_i d'_i' / κv x_ii' − Σ_jj' A_ij A'_i'j' κe x_jj' = d_i d'_i' q²,        K = Σ p_i p'_i' x_ii'.
#include <doctest/doctest.h>

#include "common/graphs.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

Stopping weight(double q) { return {StoppingMeaning::weight, q}; }
Stopping probability(double q) { return {StoppingMeaning::probability, q}; }

KernelSpec spec(const Stopping& stopping, std::string_view vertex = "1", std::string_view edge = "1") {
  return {Expression::parse(vertex), Expression::parse(edge), stopping};
}

/// Solves the pair on every backend and compares K, and x where it is given.
void check(const Graph& first, const Graph& second, const KernelSpec& kernel, double expected,
           const std::vector<double>& expected_nodewise = {}) {
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.name());
    const NodewiseResult result = nodewise(first, second, kernel, setting.gram_options());
    const double bar = setting.backend == BackendId::reference ? tolerance::exact : tolerance::value(setting.precision);
    CHECK(relative_error(result.pair.value, expected) <= bar);
    CHECK(result.pair.status == Status::converged);
    if (!expected_nodewise.empty()) CHECK(relative_error(result.similarity, expected_nodewise) <= bar);
  }
}

/// Path 0–1–2.
Graph path3() { return bare("path", 3, path_edges(3)); }
Graph one_edge() { return bare("edge", 2, path_edges(2)); }

}  // namespace

TEST_CASE("two single vertices have K = κv q², whatever q means") {
  // No edges. weight: d = q, so q²/κv x = q²·q². probability: d = 1, so x/κv = q².
  const Graph carbon = Graph::from_edges("C", 1, {}, {{"element", std::vector<std::string>{"C"}}});
  const Graph oxygen = Graph::from_edges("O", 1, {}, {{"element", std::vector<std::string>{"O"}}});

  check(carbon, carbon, spec(weight(0.3)), 0.09);
  check(carbon, oxygen, spec(weight(0.3), "delta(element, 0.2)"), 0.2 * 0.09);
  check(carbon, carbon, spec(probability(0.3)), 0.09);
  check(carbon, oxygen, spec(probability(0.3), "delta(element, 0.2)"), 0.2 * 0.09);
}

TEST_CASE("a single vertex lets nobody walk: K = q² against any graph") {
  // A× = A ⊗ 0 = 0.
  check(path3(), bare("vertex", 1, {}), spec(weight(0.3)), 0.09);
  check(bare("vertex", 1, {}), path3(), spec(probability(0.3)), 0.09);
}

TEST_CASE("an edge with itself has K = (1+q)²q/(2+q) for a weight and q/(2−q) for a probability") {
  // All four x are equal by symmetry. weight: d = 1+q, ((1+q)² − 1) x = (1+q)²q², and (1+q)² − 1 = q(2+q).
  // probability: d = 1/(1−q), (1/(1−q)² − 1) x = q²/(1−q)², so x = q²/(1 − (1−q)²) = q/(2−q).
  check(one_edge(), one_edge(), spec(weight(0.5)), 0.45);
  check(one_edge(), one_edge(), spec(probability(0.5)), 1.0 / 3);
  check(one_edge(), one_edge(), spec(weight(0.0005)), 1.0005 * 1.0005 * 0.0005 / 2.0005);
  check(one_edge(), one_edge(), spec(probability(0.0005)), 0.0005 / 1.9995);
}

TEST_CASE("a constant edge kernel c scales the walk: K = d²q²/(d² − c) on two edges") {
  // weight q = 0.5: d = 1.5, (2.25 − 0.25) x = 2.25·0.25.
  check(one_edge(), one_edge(), spec(weight(0.5), "1", "0.25"), 0.28125);
  // probability q = 0.5: d = 2, (4 − 0.25) x = 4·0.25.
  check(one_edge(), one_edge(), spec(probability(0.5), "1", "0.25"), 4.0 / 15);
}

TEST_CASE("vertex labels C–O against C–O split the four unknowns into two pairs") {
  // κv is 1 for CC and OO, h = 0.5 for CO and OC. The edge leads CC to OO, and CO to OC:
  // weight q = 0.5, d = 1.5:  (2.25 − 1) u = 0.5625 → u = 0.45;  (4.5 − 1) w = 0.5625 → w = 9/56.  K = (u + w)/2.
  const Graph carbon_oxygen =
      Graph::from_edges("CO", 2, path_edges(2), {{"element", std::vector<std::string>{"C", "O"}}});
  const double u = 0.45;
  const double w = 9.0 / 56;

  check(carbon_oxygen, carbon_oxygen, spec(weight(0.5), "delta(element, 0.5)"), (u + w) / 2, {u, w, w, u});
  // probability q = 0.5, d = 2:  (4 − 1) u = 1;  (8 − 1) w = 1.
  check(carbon_oxygen, carbon_oxygen, spec(probability(0.5), "delta(element, 0.5)"), (1.0 / 3 + 1.0 / 7) / 2);
}

TEST_CASE("a path of three against an edge, unlabelled, q as weight") {
  // q = 0.5: d = (1.5, 2.5, 1.5), d' = 1.5. By symmetry ends s, centre t:
  //   2.25 s − t = 0.5625,   3.75 t − 2 s = 0.9375   →   s = 195/412, t = 207/412.
  const double s = 195.0 / 412;
  const double t = 207.0 / 412;

  check(path3(), one_edge(), spec(weight(0.5)), 199.0 / 412, {s, s, t, t, s, s});
}

TEST_CASE("without labels or isolated vertices the normalised walk forgets the graph: K = q/(2−q)") {
  // x constant solves it: D×x − A×x = (1/(1−q)² − 1) Σ_j A_ij Σ_j' A'_i'j' x.
  check(path3(), one_edge(), spec(probability(0.5)), 1.0 / 3);
  check(path3(), one_edge(), spec(probability(0.05)), 0.05 / 1.95);
}

TEST_CASE("starting in one vertex picks that vertex's similarity") {
  Graph path = path3();
  path.set_starting_probability({0, 1, 0});

  check(path, one_edge(), spec(weight(0.5)), 207.0 / 412);
  path.set_starting_probability({0.75, 0.25, 0});
  check(path, one_edge(), spec(weight(0.5)), (0.75 * 195 + 0.25 * 207) / 412);
}

TEST_CASE("edge labels and weights enter the off-diagonal together") {
  // G: 0–1 of weight 1 labelled 0, 1–2 of weight 2 labelled 1. G': one edge of weight 1 labelled 0. κe = delta(.., 0.5),
  // q = 1 as weight: d = (2, 4, 3), d' = 2. The vertices of G' are equivalent, so x_i0 = x_i1 = y_i:
  //   4 y0 − 1·1·1 y1 = 4,   8 y1 − y0 − 2·1·0.5 y2 = 8,   6 y2 − y1 = 6   →   y = (121, 120, 111)/91.
  const Graph path =
      Graph::from_edges("path", 3, {{0, 1, 1.0}, {1, 2, 2.0}}, {}, {{"order", std::vector<std::int64_t>{0, 1}}});
  const Graph edge = Graph::from_edges("edge", 2, {{0, 1, 1.0}}, {}, {{"order", std::vector<std::int64_t>{0}}});
  const double y0 = 121.0 / 91;
  const double y1 = 120.0 / 91;
  const double y2 = 111.0 / 91;

  check(path, edge, spec(weight(1), "1", "delta(order, 0.5)"), 352.0 / 273, {y0, y0, y1, y1, y2, y2});
  check(edge, path, spec(weight(1), "1", "delta(order, 0.5)"), 352.0 / 273, {y0, y1, y2, y0, y1, y2});
}

TEST_CASE("an edge kernel of zero forbids the step") {
  // delta(order, 0) between labels 0 and 1: A× ⊙ E× = 0, so x = κv q² everywhere.
  const Graph a = Graph::from_edges("a", 2, {{0, 1, 1.0}}, {}, {{"order", std::vector<std::int64_t>{0}}});
  const Graph b = Graph::from_edges("b", 2, {{0, 1, 1.0}}, {}, {{"order", std::vector<std::int64_t>{1}}});

  check(a, b, spec(weight(0.1), "1", "delta(order, 0)"), 0.01);
  check(a, b, spec(probability(0.1), "0.5", "delta(order, 0)"), 0.005);
}

TEST_CASE("an isolated vertex has x = κv q² beside its component's own values") {
  // G: edge 0–1 and vertex 2; G': an edge. The component's value is that of two edges.
  const Graph graph = bare("edge and vertex", 3, {{0, 1, 1.0}});

  // weight q = 0.5: 0.45 four times, 0.25 twice, p = 1/6.
  check(graph, one_edge(), spec(weight(0.5)), (4 * 0.45 + 2 * 0.25) / 6, {0.45, 0.45, 0.45, 0.45, 0.25, 0.25});
  // probability q = 0.5: 1/3 four times, 0.25 twice.
  check(graph, one_edge(), spec(probability(0.5)), 11.0 / 36);
  // probability q = 0.5, κv = 0.5 everywhere: d = 2, (8 − 1) x = 1; isolated: 0.125.
  check(graph, one_edge(), spec(probability(0.5), "0.5"), (4.0 / 7 + 2 * 0.125) / 6);
}

TEST_CASE("graphs without any edge have K = q² times the mean of κv") {
  // κv: 1 for equal, 0.5 else; kinds {0, 1, 1} against {1, 0}: equal pairs 0–0, 1–1, 1–1 of six.
  const Graph three = Graph::from_edges("three", 3, {}, {{"kind", std::vector<std::int64_t>{0, 1, 1}}});
  const Graph two = Graph::from_edges("two", 2, {}, {{"kind", std::vector<std::int64_t>{1, 0}}});
  const double expected = 0.04 * (3 * 1 + 3 * 0.5) / 6;

  check(three, two, spec(weight(0.2), "delta(kind, 0.5)"), expected);
  check(three, two, spec(probability(0.2), "delta(kind, 0.5)"), expected);
}
