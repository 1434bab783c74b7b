// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <octile/expression.hpp>
#include <octile/graph.hpp>
#include <octile/pairs/sameness.hpp>
#include <octile/problem.hpp>

using namespace octile;

namespace {

Graph cycle(std::int32_t count, double weight = 1, const std::string& label = "a") {
  std::vector<Edge> edges(static_cast<std::size_t>(count));
  for (std::int32_t k = 0; k < count; ++k) edges[static_cast<std::size_t>(k)] = {k, (k + 1) % count, weight};
  const std::vector<std::string> labels(static_cast<std::size_t>(count), label);
  return Graph::from_edges("cycle", count, edges, {{"kind", labels}});
}

Graph path(std::int32_t count, std::int32_t isolated = 0) {
  std::vector<Edge> edges;
  for (std::int32_t k = 0; k + 1 < count; ++k) edges.push_back({k, k + 1});
  std::vector<std::int64_t> labels(static_cast<std::size_t>(count + isolated), 1);
  labels.front() = 2;
  return Graph::from_edges("path", count + isolated, edges, {{"kind", labels}});
}

KernelSpec kernel(const std::string& vertex, const std::string& edge, const std::string& stopping) {
  return {Expression::parse(vertex), Expression::parse(edge), Stopping::parse(stopping)};
}

std::vector<const Graph*> pointers(const std::vector<Graph>& graphs) {
  std::vector<const Graph*> all;
  all.reserve(graphs.size());
  for (const Graph& graph : graphs) all.push_back(&graph);
  return all;
}

std::size_t alike(const std::vector<Graph>& graphs, const KernelSpec& of) { return graphs_alike(pointers(graphs), of); }

}  // namespace

TEST_CASE("with a stopping probability, graphs without labels that differ are alike, but for isolated vertices") {
  const KernelSpec unlabelled = kernel("1", "1", "probability:0.05");

  CHECK(alike({path(2), path(3), cycle(5, 0.25)}, unlabelled) == 3);
  CHECK(alike({path(2), path(3, 1), cycle(5)}, unlabelled) == 2);
  CHECK(alike({path(3, 1), path(1), path(1, 1), path(4)}, kernel("1", "delta(order,0.5)", "probability:0.05")) == 2);
  CHECK(alike({path(2), path(3), cycle(5)}, kernel("delta(kind,0.5)", "1", "probability:0.05")) == 0);
}

TEST_CASE("with a stopping weight, graphs of one weighted degree are alike") {
  const KernelSpec unlabelled = kernel("1", "1", "weight:0.05");

  CHECK(alike({cycle(5), cycle(6), cycle(7), path(3)}, unlabelled) == 3);
  CHECK(alike({cycle(5), cycle(6, 2), cycle(7, 2), cycle(8, 3)}, unlabelled) == 2);
  CHECK(alike({cycle(5), cycle(6, 2), path(3)}, unlabelled) == 0);
  // 3 · 0.1 and 0.1 + 0.2 differ in the last digit.
  CHECK(alike({cycle(5, 0.15), Graph::from_edges("edge", 2, {{0, 1, 0.1 + 0.2}})}, unlabelled) == 2);
}

TEST_CASE("labels that are the same within graphs part them") {
  const KernelSpec labelled = kernel("delta(kind,0.5)", "1", "probability:0.05");

  CHECK(alike({cycle(5, 1, "a"), cycle(6, 1, "a"), cycle(7, 1, "b")}, labelled) == 2);
  CHECK(alike({cycle(5, 1, "a"), cycle(6, 1, "b")}, labelled) == 0);
}

TEST_CASE("a warning counts the graphs that are alike, if they are half of all, and says what to do") {
  const std::vector<Graph> most = {path(2), path(3), path(3, 1)};
  CHECK(sameness_warning(pointers(most), kernel("1", "1", "probability:0.05")) ==
        "2 of 3 graphs are the same to this kernel, which has one value for every pair of them: it compares no labels "
        "that differ in "
        "them, and with a stopping probability walks see nothing else; compare labels, such as degree, or take a "
        "stopping weight");
  const std::vector<Graph> regular = {cycle(5), cycle(6)};
  CHECK(sameness_warning(pointers(regular), kernel("1", "1", "weight:0.05")) ==
        "2 of 2 graphs are the same to this kernel, which has one value for every pair of them: it compares no labels "
        "that differ in "
        "them, and all their vertices have one weighted degree; compare labels that differ");
  const std::vector<Graph> few = {cycle(5), cycle(6), path(3), path(4), path(5)};
  CHECK(sameness_warning(pointers(few), kernel("1", "1", "weight:0.05")).empty());
}
