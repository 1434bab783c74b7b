// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gram.hpp>

#include <octile/batch_runner.hpp>
#include <octile/graphs/zeros.hpp>
#include <octile/prepared_set.hpp>
#include <octile/set_solution.hpp>
#include <octile/square.hpp>

#include <array>
#include <future>
#include <utility>

namespace octile {

GramResult gram(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options) {
  // Another thread writes the zeros: for millions of pairs this takes as long as preparing the set.
  std::future<std::vector<double>> values =
      std::async(std::launch::async, [size = graphs.size()] { return zeros<double>(size * size); });
  const PreparedSet set(graphs, options);
  SetRequest request;
  request.normalize = options.normalize;
  return square_of(set, request, solve_set(set, kernel, request), values.get());
}

NodewiseResult nodewise(const Graph& first, const Graph& second, const KernelSpec& kernel, const GramOptions& options) {
  const PreparedSet set(std::vector<Graph>{first, second}, options);
  const std::array pairs{Pair{0, 1}};
  SetRequest request;
  request.pairs = pairs;
  request.nodes = NodeOutput::pairs;
  SetAnswer answer = set.solve(kernel, request);
  return {answer.results.front(), std::move(answer.nodes), std::move(answer.node_errors)};
}

}  // namespace octile
