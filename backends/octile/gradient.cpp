// SPDX-License-Identifier: BSD-3-Clause
#include <octile/gradient.hpp>

#include <octile/error.hpp>
#include <octile/prepared_set.hpp>
#include <octile/set_solution.hpp>
#include <octile/square.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace octile {
namespace {

/// A Gram matrix with the derivatives that are asked for.
template <class Gradient>
Gradient gradient_of(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options,
                     SetRequest request) {
  const PreparedSet set(graphs, options);
  request.normalize = options.normalize;
  SetSolution solution = solve_set(set, kernel, request);
  Gradient gradient;
  gradient.parameters = parameters(kernel);
  gradient.derivatives = std::move(solution.derivatives);
  gradient.gram = square_of(set, request, std::move(solution), std::vector<double>(graphs.size() * graphs.size()));
  return gradient;
}

}  // namespace

GramGradient gram_gradient(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options) {
  SetRequest request;
  request.derivatives = Derivatives::each;
  return gradient_of<GramGradient>(graphs, kernel, options, request);
}

WeightedGradient weighted_gradient(std::span<const Graph> graphs, const KernelSpec& kernel,
                                   std::span<const double> weights, const GramOptions& options) {
  const std::size_t size = graphs.size();
  if (weights.size() != size * size) {
    throw Error(fmt::format("{} weights for a Gram matrix of {} graphs; allowed is one a value, {}", weights.size(),
                            size, size * size));
  }
  std::vector<double> of_pairs;  // K_ij and K_ji are one pair
  of_pairs.reserve(pair_count(size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j) {
      of_pairs.push_back(i == j ? weights[i * size + i] : weights[i * size + j] + weights[j * size + i]);
    }
  }
  SetRequest request;
  request.derivatives = Derivatives::weighted;
  request.weights = of_pairs;
  return gradient_of<WeightedGradient>(graphs, kernel, options, request);
}

}  // namespace octile
