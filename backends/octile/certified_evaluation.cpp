// SPDX-License-Identifier: BSD-3-Clause
// How a certified solver judges the pairs that it solved on the host.
#include <octile/certified_solver.hpp>

#include <octile/base/parallel.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/graph_derivatives.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>

namespace octile {
namespace {

/// Pairs that a thread evaluates at a time at most.
constexpr std::size_t pairs_at_once = 16;

}  // namespace

void CertifiedSolver::evaluate(const Request& request, const Answer& answer, Chunk& chunk,
                               std::span<const PairResult> solved, bool last) {
  const std::size_t parameters = request.derivatives == Derivatives::not_asked ? 0 : parameter_count();
  std::vector<double> gradients(parameters * chunk.pairs.size());
  const bool solutions = !request.nodewise_begin.empty();
  const bool adjoint = request.right_hand_side == RightHandSide::starting;
  const auto threads = static_cast<std::size_t>(std::max(Kokkos::num_threads(), 1));
  const std::size_t of_thread = chunk.pairs.size() / (4 * threads);
  in_parallel(chunk.pairs.size(), std::clamp<std::size_t>(of_thread, 1, pairs_at_once),
              [&](std::size_t begin, std::size_t end) {
                EvaluationSpace space;
                for (std::size_t k = begin; k < end; ++k) {
                  const std::size_t size = unknowns(chunk.pairs[k]);
                  const auto of = [&](std::span<double> values) {
                    return values.empty() ? values : values.subspan(chunk.begin[k], size);
                  };
                  const Trial trial{of(chunk.x), of(chunk.y)};
                  const std::span<double> slopes = std::span(gradients).subspan(k * parameters, parameters);
                  const bool of_nodes = !request.node_weights.empty();
                  Evaluation found =
                      exact_->evaluate(chunk.pairs[k], trial, space, of_nodes ? std::span<double>() : slopes);
                  PairResult result = solved[k];
                  result.value = found.value.value;
                  result.error_bound = found.value.bound;
                  result.residual = adjoint ? found.worst_y : found.worst_x;
                  if (of_nodes) {
                    const std::span<const double> node_weights =
                        request.node_weights.subspan(request.nodewise_begin[chunk.places[k]], size);
                    found.of_slopes = exact_->node_slopes(chunk.pairs[k], trial.x, node_weights, space, slopes);
                  }
                  if (solutions) {
                    const std::span<double> to = answer.nodewise.subspan(request.nodewise_begin[chunk.places[k]], size);
                    std::ranges::copy(adjoint ? trial.y : trial.x, to.begin());
                    if (!adjoint && kernel_.shortest_walk == 1)
                      result.residual += exact_->take_walks_of_no_step(chunk.pairs[k], space, to);
                    if (adjoint && scaled_) unscale_adjoint(scaled_->factors, chunk.pairs[k], to);
                  }
                  const bool inexact = parameters > 0 && !suffices(slopes, found.of_slopes);
                  judge(result, inexact     ? std::numeric_limits<double>::infinity()
                                : solutions ? std::max(result.error_bound, result.residual)
                                            : result.error_bound);
                  answer.results[chunk.places[k]] = result;
                  if (request.derivatives == Derivatives::each) {
                    std::copy_n(gradients.begin() + static_cast<std::ptrdiff_t>(k * parameters), parameters,
                                answer.derivatives.begin() + static_cast<std::ptrdiff_t>(chunk.places[k] * parameters));
                  }
                }
              });
  if (request.weights.empty()) return;
  std::vector<double> weights(chunk.pairs.size(), 0.0);
  for (std::size_t k = 0; k < chunk.pairs.size(); ++k) {
    // A pair that is solved again is added then.
    if (!last && answer.results[chunk.places[k]].status != Status::converged) continue;
    weights[k] = request.weights[chunk.places[k]];
    for (std::size_t t = 0; t < parameters && request.derivatives == Derivatives::weighted; ++t) {
      answer.derivatives[t] += weights[k] * gradients[k * parameters + t];
    }
  }
  if (answer.by_graphs == nullptr) return;
  add_graph_derivatives(*exact_, {chunk.pairs, chunk.begin, chunk.x, chunk.y}, weights,
                        scaled_ ? std::span<const double>(scaled_->factors) : std::span<const double>(),
                        request.edge_attribute, *answer.by_graphs);
}

}  // namespace octile
