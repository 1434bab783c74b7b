// SPDX-License-Identifier: BSD-3-Clause
// Vertex kernels over more distinct labels than any table takes: every backend agrees with the reference.
#include <octile/accuracy.hpp>
#include <octile/backends.hpp>
#include <octile/gram.hpp>
#include <octile/kernels/lowering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/graphs.hpp"
#include "common/many_records.hpp"
#include "common/tolerances.hpp"

using namespace octile;
using namespace octile::test;

namespace {

const std::vector<std::string> vertex_kernels{
    many_records_kernel,
    "normalize(2*delta(a0,0.2)+3*delta(a1,0.3)*rational(x,1,1)+delta(a2,0.1)+tanimoto(tags)+0.5*delta(id,0.1))",
    "delta(id,0.5)*(0.5*delta(a0,0.3)*delta(a1,0.2)+0.5*power(delta(a2,0.3)*rational(x,2,1),2))"};

std::vector<PairResult> solved(BackendId backend, const std::vector<Graph>& graphs, const KernelSpec& kernel,
                               Precision precision, const std::vector<Pair>& pairs) {
  std::vector<PairResult> results(pairs.size());
  const SolveOptions options{tolerance::solve(precision), 5000};
  make_pair_solver(backend, graphs, kernel, precision, options)->solve(pairs, results);
  return results;
}

}  // namespace

TEST_CASE("graphs with more than 65,535 distinct vertex labels are solved as the reference solves them") {
  const std::vector<Graph> graphs = graphs_of_many_records(3400, 20);
  const std::vector<Pair> pairs{{0, 1}, {3399, 17}, {5, 5}, {1700, 3000}};
  for (const std::string& vertex : vertex_kernels) {
    CAPTURE(vertex);
    const KernelSpec kernel{Expression::parse(vertex), Expression::parse("delta(order,0.5)"),
                            Stopping(StoppingMeaning::probability, 0.05)};
    CHECK(lower(graphs, kernel.vertex, LabelSite::vertex).record_count > UINT16_MAX);
    const std::vector<PairResult> expected = solved(BackendId::reference, graphs, kernel, Precision::float64, pairs);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      const std::vector<PairResult> found = solved(BackendId::automatic, graphs, kernel, precision, pairs);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        CAPTURE(k);
        CHECK(found[k].status == Status::converged);
        CHECK(std::abs(found[k].value - expected[k].value) <= tolerance::value(precision) * expected[k].value);
      }
    }
  }
}

TEST_CASE("values of graphs with many distinct vertex labels are proven, and the bounds hold") {
  const std::vector<Graph> graphs = graphs_of_many_records(60, 20);
  for (const std::string& vertex : vertex_kernels) {
    CAPTURE(vertex);
    const KernelSpec kernel{Expression::parse(vertex), Expression::parse("delta(order,0.5)"),
                            Stopping(StoppingMeaning::probability, 0.05)};
    GramOptions options;
    options.accuracy = Accuracy::parse("1e-10");
    const GramResult found = gram(graphs, kernel, options);
    CHECK(largest_error(found, false) <= 1e-10);
    std::vector<Pair> pairs;
    for (std::int32_t k = 0; k < 60; k += 7) pairs.push_back({k / 2, k});
    const std::vector<PairResult> expected = solved(BackendId::reference, graphs, kernel, Precision::float64, pairs);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto first = static_cast<std::size_t>(pairs[k].first);
      const auto second = static_cast<std::size_t>(pairs[k].second);
      const PairResult& one = found.pairs[pair_index(first, second, found.size)];
      CHECK(std::abs(one.value - expected[k].value) <= (one.error_bound + 1e-13) * expected[k].value);
    }
  }
}
