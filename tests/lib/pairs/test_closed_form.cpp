// SPDX-License-Identifier: BSD-3-Clause
// Unlabelled graphs have a closed form, which gives expected values for sizes that the dense reference cannot solve.
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Eigenvalues λ_i of D^-1/2 A D^-1/2 and a_i = (pᵀ D^-1/2 u_i)(u_iᵀ D^1/2 q).
struct Spectrum {
  Eigen::VectorXd lambda;
  Eigen::VectorXd a;
};

Spectrum spectrum_of(const Graph& graph, const Stopping& stopping) {
  const Eigen::Index n = graph.vertex_count();
  Eigen::MatrixXd s = Eigen::MatrixXd::Zero(n, n);
  for (const Edge& edge : graph.edges()) s(edge.i, edge.j) = s(edge.j, edge.i) = edge.weight;
  Eigen::VectorXd d = s.rowwise().sum();
  for (double& degree : d) {
    if (stopping.meaning() == StoppingMeaning::weight) {
      degree += stopping.q();
    } else {
      degree = degree > 0 ? degree / (1 - stopping.q()) : 1;
    }
  }
  const Eigen::VectorXd root = d.cwiseSqrt();
  s = root.cwiseInverse().asDiagonal() * s * root.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(s);
  const Eigen::Map<const Eigen::VectorXd> p(graph.starting_probability().data(), n);
  const Eigen::VectorXd left = solver.eigenvectors().transpose() * p.cwiseQuotient(root);
  const Eigen::VectorXd right = solver.eigenvectors().transpose() * (stopping.q() * root);
  return {solver.eigenvalues(), left.cwiseProduct(right)};
}

/// K = Σ_ij a_i a'_j / (1 − λ_i λ'_j).
double closed_form(const Spectrum& first, const Spectrum& second) {
  double sum = 0;
  for (Eigen::Index i = 0; i < first.a.size(); ++i) {
    for (Eigen::Index j = 0; j < second.a.size(); ++j) {
      sum += first.a(i) * second.a(j) / (1 - first.lambda(i) * second.lambda(j));
    }
  }
  return sum;
}

std::vector<Graph> graphs_to_judge() {
  std::vector<Graph> graphs = large_graphs();
  graphs.push_back(bare("path 31", 31, path_edges(31)));
  graphs.push_back(bare("complete 65", 65, weighted(complete_edges(65), 21)));
  graphs.push_back(bare("with isolated vertices 33", 33, weighted(path_edges(20), 22)));
  return graphs;
}

}  // namespace

TEST_CASE("the closed form gives what is known by hand") {
  const Stopping stopping(StoppingMeaning::weight, 0.5);
  const Spectrum path = spectrum_of(bare("path", 3, path_edges(3)), stopping);
  const Spectrum edge = spectrum_of(bare("edge", 2, path_edges(2)), stopping);

  CHECK(relative_error(closed_form(path, edge), 199.0 / 412) <= tolerance::exact);
}

TEST_CASE("unlabelled pairs of 31 to 65 vertices follow the closed form on every backend") {
  const std::vector<Graph> graphs = graphs_to_judge();
  // All pairs except those of two dense graphs, which take longest and test nothing new.
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = i; j < graphs.size(); ++j) {
      if (graphs[i].edge_count() * graphs[j].edge_count() > 200'000) continue;
      pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    }
  }
  std::vector<PairResult> results(pairs.size());
  for (const Stopping& stopping : stoppings()) {
    std::vector<Spectrum> spectra;
    spectra.reserve(graphs.size());
    for (const Graph& graph : graphs) spectra.push_back(spectrum_of(graph, stopping));
    for (const Setting& setting : judged_settings()) {
      make_pair_solver(setting.backend, graphs, unlabelled().spec(stopping), setting.precision, setting.solve_options())
          ->solve(pairs, results);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto i = static_cast<std::size_t>(pairs[k].first);
        const auto j = static_cast<std::size_t>(pairs[k].second);
        const double expected = closed_form(spectra[i], spectra[j]);
        CAPTURE(setting.name());
        CAPTURE(stopping.to_string());
        CAPTURE(graphs[i].name());
        CAPTURE(graphs[j].name());
        CAPTURE(results[k].residual);
        CHECK(settled(results[k], setting.precision, stopping, most_terms(graphs[i], graphs[j])));
        if (setting.precision == Precision::float64 || results[k].status == Status::converged) {
          CHECK(relative_error(results[k].value, expected) <= tolerance::value(setting.precision, expected, stopping));
        }
      }
    }
  }
}

TEST_CASE("where the host solves, no solve has device time, nor has what is done once for a set") {
  const std::vector<Graph> graphs{random_graph(17, 0.3, 1), random_graph(9, 0.5, 2).scaled(1e-200)};
  const std::vector<Pair> pairs{{0, 1}, {1, 1}};
  std::vector<PairResult> results(pairs.size());
  for (const Setting& setting : all_settings()) {
    if (setting.backend == BackendId::cuda || setting.backend == BackendId::portable_cuda) continue;
    for (const Lowering lowering : {Lowering::automatic, Lowering::closed_form}) {
      if (!find_backend(setting.backend).has(lowering)) continue;
      CAPTURE(setting.name());
      CAPTURE(lowering_name(lowering));
      const auto solver = make_pair_solver(setting.backend, graphs, unlabelled().spec(stoppings()[0]),
                                           setting.precision, setting.solve_options(), {}, default_memory, lowering);
      for (int time = 0; time < 2; ++time) {
        solver->solve(pairs, results);
        CHECK(solver->device_seconds() == 0);
      }
    }
  }
}

TEST_CASE("the reference follows the closed form too") {
  const std::vector<Graph> graphs{random_graph(17, 0.3, 1), random_graph(9, 0.5, 2)};
  GramOptions options;
  options.backend = BackendId::reference;
  for (const Stopping& stopping : stoppings()) {
    CAPTURE(stopping.to_string());
    const double expected = closed_form(spectrum_of(graphs[0], stopping), spectrum_of(graphs[1], stopping));
    const GramResult result = gram(graphs, unlabelled().spec(stopping), options);
    CHECK(relative_error(result.values[1], expected) <= tolerance::exact);
  }
}
