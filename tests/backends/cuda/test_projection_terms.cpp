// SPDX-License-Identifier: BSD-3-Clause
// The sums of few terms by which starts from projected systems replace both kernels.
#include <octile/backends.hpp>
#include <octile/cuda/start/projection_terms.hpp>
#include <octile/cuda/start/table_terms.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::cuda;

namespace {

/// Σ_t σ_t χ_t(a) χ_t(b).
double value(const std::vector<TableTerm>& terms, std::size_t a, std::size_t b) {
  double sum = 0;
  for (const TableTerm& term : terms) sum += term.sign * term.values[a] * term.values[b];
  return sum;
}

/// 1/κ of a delta over so many labels.
std::vector<double> reciprocals(std::size_t labels, double h) {
  std::vector<double> table(labels * labels, 1 / h);
  for (std::size_t a = 0; a < labels; ++a) table[a * labels + a] = 1;
  return table;
}

/// Σ_t σ_t χ_t(a) χ_t(b), of a projection's terms of the vertex kernel.
double value(const ProjectionTerms& terms, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t t = 0; t < terms.vertex_terms; ++t) {
    sum += double(terms.signs[t]) * double(terms.vertex[t * terms.ids + a]) * double(terms.vertex[t * terms.ids + b]);
  }
  return sum;
}

std::optional<ProjectionTerms> terms_of(const std::vector<Graph>& graphs, const char* vertex, const char* edge,
                                        bool weighted = true) {
  const KernelSpec kernel{Expression::parse(vertex), Expression::parse(edge),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const SolverSetup setup{graphs, kernel};
  return projection_terms(plan::LoweredSet(setup), nullptr, weighted);
}

std::vector<Graph> some_graphs() {
  std::vector<Graph> graphs;
  graphs.reserve(4);
  for (int k = 0; k < 4; ++k) {
    graphs.push_back(
        test::labelled("path " + std::to_string(k), 20, test::weighted(test::path_edges(20), 3 + k), 5 + k));
  }
  return graphs;
}

}  // namespace

TEST_CASE("a symmetric table is the sum of its terms, negative ones among them") {
  const std::vector<double> table = reciprocals(5, 0.2);
  const std::vector<TableTerm> terms = table_terms(table, {7, 1, 3, 2, 40}, 1e-12);
  REQUIRE(terms.size() == 5);
  CHECK(terms[0].sign == 1);
  CHECK(terms[4].sign == -1);
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) CHECK(value(terms, a, b) == doctest::Approx(table[a * 5 + b]).epsilon(1e-12));
  }
}

TEST_CASE("a label that hardly any vertex has is left out of a table's terms") {
  const std::vector<double> weights{1000, 2000, 3000, 0.01};
  const std::vector<double> table = reciprocals(4, 0.5);
  const std::vector<TableTerm> terms = table_terms(table, weights, 1e-4);
  REQUIRE(terms.size() == 3);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) CHECK(std::abs(value(terms, a, b) - table[a * 4 + b]) < 1e-3);
  }
}

TEST_CASE("both kernels of a set are sums of terms, as exact as they are asked to be") {
  const std::vector<Graph> graphs = some_graphs();
  const auto terms = terms_of(graphs, "delta(kind,0.4)", "gaussian(length,0.3)");
  REQUIRE(terms);
  CHECK(terms->vertex_terms == 3);
  CHECK(terms->vertex.size() == terms->vertex_terms * terms->ids);
  CHECK(terms->rank <= most_projection_terms);
  const KernelSpec kernel{Expression::parse("delta(kind,0.4)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const plan::LoweredSet lowered(SolverSetup{graphs, kernel});
  REQUIRE(terms->edge.size() == lowered.edge.record_count * terms->rank);
  for (std::size_t a = 0; a < lowered.edge.record_count; ++a) {
    for (std::size_t b = 0; b < lowered.edge.record_count; ++b) {
      double sum = 0;
      for (std::size_t k = 0; k < terms->rank; ++k) {
        sum += double(terms->edge[a * terms->rank + k]) * double(terms->edge[b * terms->rank + k]);
      }
      const double difference = (lowered.edge.records[a] - lowered.edge.records[b]) / 0.3;
      CHECK(std::abs(sum - std::exp(-difference * difference / 2)) <= projection_error + 1e-6);
    }
  }
  CHECK_FALSE(terms->weighted);
  for (std::size_t a = 0; a < terms->ids; ++a) {
    for (std::size_t b = 0; b < terms->ids; ++b) {
      CHECK(std::abs(value(*terms, a, b) - 1 / lowered.vertex.table[a * terms->ids + b]) <= 1e-3);
    }
  }
}

TEST_CASE("where each two terms of the vertex kernel with all of the edge kernel are few, guesses are weighted by it") {
  const std::vector<Graph> graphs = some_graphs();
  const auto terms = terms_of(graphs, "delta(kind,0.4)", "0.7");
  REQUIRE(terms);
  CHECK(terms->weighted);
  CHECK_FALSE(terms_of(graphs, "delta(kind,0.4)", "0.7", false)->weighted);
  REQUIRE(terms->vertex_terms == 3);
  for (std::size_t a = 0; a < terms->ids; ++a) {
    for (std::size_t b = 0; b < terms->ids; ++b) {
      const double kappa = a == b ? 1.0 : 0.4;
      CHECK(std::abs(value(*terms, a, b) - kappa) <= 1e-6);
      CHECK(double(terms->reciprocals[a * terms->ids + b]) == doctest::Approx(1 / kappa).epsilon(1e-6));
    }
  }
}

TEST_CASE("constant kernels have a term each, and a kernel of high rank has none") {
  const std::vector<Graph> graphs = some_graphs();
  const auto terms = terms_of(graphs, "0.5", "1");
  REQUIRE(terms);
  CHECK(terms->vertex_terms == 1);
  CHECK(double(terms->vertex[0]) * double(terms->vertex[0]) == doctest::Approx(2).epsilon(1e-6));
  CHECK(terms->rank == 1);
  CHECK_FALSE(terms_of(graphs, "1", "gaussian(length,0.001)"));
}
