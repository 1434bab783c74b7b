// SPDX-License-Identifier: BSD-3-Clause
// The closed form of the native CUDA backend beyond the conformance suite: sizes of batches, short memory, what is chosen.
#include <doctest/doctest.h>

#include <octile/error.hpp>
#include <octile/pairs/spectrum.hpp>

#include "common/graphs.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Sizes on both sides of those of batches; connected or not, weighted or not, with multiple eigenvalues.
std::vector<Graph> unlabelled_graphs() {
  std::vector<Graph> graphs;
  for (const int vertices : {1, 2, 7, 8, 9, 33, 64, 65, 97}) {
    graphs.push_back(random_graph(vertices, 0.2, static_cast<std::uint64_t>(vertices)));
  }
  graphs.push_back(bare("no edges", 12, {}));
  graphs.push_back(bare("isolated vertices", 40, weighted(path_edges(20), 3)));
  graphs.push_back(disjoint_union(random_graph(20, 0.3, 1), random_graph(45, 0.1, 2)));
  graphs.push_back(bare("star", 65, star_edges(65)));
  graphs.push_back(bare("cycle", 96, cycle_edges(96)));
  graphs.push_back(bare("complete", 33, complete_edges(33)));
  return graphs;
}

std::vector<Pair> all_pairs(const std::vector<Graph>& graphs) {
  std::vector<Pair> pairs;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graphs.size()); ++i) {
    // Some pairs in one order of their graphs, some in the other.
    for (std::int32_t j = i; j < static_cast<std::int32_t>(graphs.size()); ++j) {
      pairs.push_back((i + j) % 3 == 0 ? Pair{j, i} : Pair{i, j});
    }
  }
  return pairs;
}

std::unique_ptr<PairSolver> make(const char* backend, const std::vector<Graph>& graphs, const KernelSpec& kernel,
                                 Precision precision, std::size_t memory = default_memory,
                                 std::string_view lowering = "closed-form") {
  SolveOptions options;
  options.tolerance = tolerance::solve(precision);
  return make_pair_solver(parse_backend(backend), graphs, kernel, precision, options, {}, memory,
                          parse_lowering(lowering));
}

std::vector<PairResult> solved(PairSolver& solver, const std::vector<Pair>& pairs) {
  std::vector<PairResult> results(pairs.size());
  solver.solve(pairs, results);
  return results;
}

KernelSpec constants(const char* value, const Stopping& stopping) {
  return {Expression::parse(value), Expression::parse(value), stopping};
}

void check_values(const std::vector<Graph>& graphs, const std::vector<Pair>& pairs, const Stopping& stopping,
                  Precision precision, const std::vector<PairResult>& results,
                  const std::vector<PairResult>& expected) {
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    CAPTURE(stopping.to_string());
    CAPTURE(graphs[static_cast<std::size_t>(pairs[k].first)].name());
    CAPTURE(graphs[static_cast<std::size_t>(pairs[k].second)].name());
    CAPTURE(results[k].residual);
    CHECK(results[k].iterations == 0);
    CHECK(settled(results[k], precision, stopping, 0));
    CHECK(relative_error(results[k].value, expected[k].value) <=
          tolerance::value(Precision::float64, expected[k].value, stopping));
  }
}

}  // namespace

TEST_CASE("spectra formed on the device give what the host's give, in either precision") {
  const std::vector<Graph> graphs = unlabelled_graphs();
  const std::vector<Pair> pairs = all_pairs(graphs);
  for (const Stopping& stopping :
       {Stopping(StoppingMeaning::probability, 0.05), Stopping(StoppingMeaning::probability, 0.0005),
        Stopping(StoppingMeaning::weight, 0.0005)}) {
    for (const char* value : {"1", "0.75"}) {
      const KernelSpec kernel = constants(value, stopping);
      const auto expected = solved(*make("portable:openmp", graphs, kernel, Precision::float64), pairs);
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        const auto solver = make("cuda", graphs, kernel, precision);
        CHECK(solver->description().starts_with("native CUDA"));
        check_values(graphs, pairs, stopping, precision, solved(*solver, pairs), expected);
      }
    }
  }
}

TEST_CASE("where memory is short, batches are smaller or on the host, or refused: what the sanitizers run") {
  std::vector<Graph> graphs = unlabelled_graphs();
  for (std::uint64_t k = 0; k < 20; ++k) graphs.push_back(random_graph(60, 0.2, 100 + k));
  const std::vector<Pair> pairs = all_pairs(graphs);
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const KernelSpec kernel = constants("1", stopping);
  const auto expected = solved(*make("cuda", graphs, kernel, Precision::float64), pairs);
  const SpectraMemory least(graphs);
  for (const std::size_t times : {1, 4, 16}) {
    const auto solver = make("cuda", graphs, kernel, Precision::float64, least.kept + times * least.each);
    const std::vector<PairResult> results = solved(*solver, pairs);
    const std::vector<PairResult> again = solved(*solver, pairs);
    CAPTURE(times);
    check_values(graphs, pairs, stopping, Precision::float64, results, expected);
    for (std::size_t k = 0; k < pairs.size(); ++k) CHECK(results[k].value == again[k].value);
  }
  CHECK_THROWS_WITH_AS(make("cuda", graphs, kernel, Precision::float64, least.kept + 100),
                       doctest::Contains("of work space"), Error);
}

TEST_CASE("the device time of a solve has that of the decompositions in the first one alone") {
  const std::vector<Graph> graphs(64, random_graph(97, 0.2, 1));
  const std::vector<Pair> one{{0, 1}};
  const KernelSpec kernel = constants("1", Stopping(StoppingMeaning::probability, 0.05));
  // The device loads kernels when they are first launched: that is the time of another solver.
  solved(*make("cuda", graphs, kernel, Precision::float64), one);
  const auto solver = make("cuda", graphs, kernel, Precision::float64);
  solved(*solver, one);
  const double first = solver->device_seconds();
  for (const char* again : {"second", "third"}) {
    CAPTURE(again);
    CAPTURE(first);
    solved(*solver, one);
    CAPTURE(solver->device_seconds());
    CHECK(solver->device_seconds() > 0);
    CHECK(solver->device_seconds() < first / 2);
  }
}

TEST_CASE("by default dense unlabelled sets get the closed form, in either precision") {
  const std::vector<Graph> graphs(20, bare("complete", 65, complete_edges(65)));
  const KernelSpec kernel = constants("1", Stopping(StoppingMeaning::probability, 0.05));
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const auto solver = make("cuda", graphs, kernel, precision, default_memory, "auto");
    CHECK(solver->description().starts_with("native CUDA"));
    CHECK(solver->description().find("lowering closed-form") != std::string::npos);
  }
}
