// SPDX-License-Identifier: BSD-3-Clause
#include <octile/weighted_solution.hpp>

#include <octile/base/parallel.hpp>
#include <octile/certify/normalised.hpp>
#include <octile/graph_derivatives.hpp>

#include <algorithm>
#include <utility>

namespace octile {
namespace {

/// Pairs that a thread takes at a time.
constexpr std::size_t weights_at_once = std::size_t(1) << 14;

/// Adds weight times the numbers of graph g.
void add_graph(GraphDerivatives& sums, const GraphDerivatives& more, std::size_t g, double weight) {
  for (std::size_t v = more.vertex_begin[g]; v < more.vertex_begin[g + 1]; ++v) {
    sums.starting[v] += weight * more.starting[v];
  }
  for (std::size_t e = more.edge_begin[g]; e < more.edge_begin[g + 1]; ++e) {
    sums.edge_weights[e] += weight * more.edge_weights[e];
    if (!more.edge_numbers.empty()) sums.edge_numbers[e] += weight * more.edge_numbers[e];
  }
}

}  // namespace

WeightedSums::WeightedSums(const PreparedSet& set, PairSolver& solver, BatchRunner& runner, const Asked& asked)
    : set_(set), solver_(solver), runner_(runner), asked_(asked), parameters_(solver.parameter_count()) {
  by_parameters_.resize(parameters_);
  by_graphs_ = room_by_graphs();
  if (!asked_.normalize) return;
  scales_.resize(set.size());
  of_own_.resize(set.size() * parameters_);
  own_weights_.resize(set.size());
  of_own_by_graphs_ = room_by_graphs();
}

GraphDerivatives WeightedSums::room_by_graphs() const {
  if (!asked_.by_graphs) return {};
  return zero_derivatives(set_.graphs(), !asked_.edge_attribute.empty());
}

void WeightedSums::differentiate(Request request, std::span<PairResult> results, std::span<double> derivatives,
                                 GraphDerivatives& by_graphs) const {
  Answer answer{results};
  answer.derivatives = derivatives;
  if (asked_.by_graphs) {
    request.edge_attribute = asked_.edge_attribute;
    answer.by_graphs = &by_graphs;
  }
  solver_.solve(request, answer);
}

double WeightedSums::scale(Pair pair) const {
  if (!asked_.normalize) return 1;
  return scales_[static_cast<std::size_t>(pair.first)] * scales_[static_cast<std::size_t>(pair.second)];
}

template <class Solve>
void WeightedSums::solve(std::span<const Pair> list, std::vector<std::size_t> places, std::span<PairResult> results,
                         const Solve& solve) {
  NothingLeft nothing;
  runner_.run(
      PlacedPairs(list, std::move(places), set_.cost()), solve,
      [&results](std::size_t place, const PairResult& solved) { results[place] = solved; }, nothing);
}

void WeightedSums::add_own(std::span<const Pair> list, std::vector<std::size_t> places, std::span<PairResult> results) {
  const auto solve_batch = [&](std::span<const Pair> pairs, const Answer& values, const auto&) {
    std::vector<double> batch(pairs.size() * parameters_);
    const std::vector<double> ones(pairs.size(), 1.0);
    Request request{pairs};
    request.derivatives = Derivatives::each;
    request.weights = ones;
    differentiate(request, values.results, batch, of_own_by_graphs_);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto graph = static_cast<std::size_t>(pairs[k].first);
      scales_[graph] = normalising_scale(values.results[k].value);
      std::ranges::copy(std::span(batch).subspan(k * parameters_, parameters_),
                        of_own_.begin() + static_cast<std::ptrdiff_t>(graph * parameters_));
    }
  };
  solve(list, std::move(places), results, solve_batch);
}

void WeightedSums::add(std::span<const Pair> list, std::vector<std::size_t> places, std::span<const double> weights,
                       std::span<PairResult> results) {
  std::vector<double> of_batch;
  std::vector<double> shares;  // of each pair in the weights of both graphs with themselves
  const auto solve_batch = [&](std::span<const Pair> pairs, const Answer& values, const auto& place) {
    of_batch.resize(pairs.size());
    in_parallel(pairs.size(), weights_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) of_batch[k] = weights[place(k)] * scale(pairs[k]);
    });
    Request request{pairs};
    request.derivatives = Derivatives::weighted;
    request.weights = of_batch;
    differentiate(request, values.results, by_parameters_, by_graphs_);
    if (!asked_.normalize) return;
    shares.resize(pairs.size());
    in_parallel(pairs.size(), weights_at_once, [&](std::size_t begin, std::size_t end) {
      // 0 where a graph's own value is, as its scale is then.
      for (std::size_t k = begin; k < end; ++k) shares[k] = 0.5 * of_batch[k] * values.results[k].value;
    });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (pairs[k].first == pairs[k].second) continue;
      own_weights_[static_cast<std::size_t>(pairs[k].first)] -= shares[k];
      own_weights_[static_cast<std::size_t>(pairs[k].second)] -= shares[k];
    }
  };
  solve(list, std::move(places), results, solve_batch);
}

void WeightedSums::finish() {
  for (std::size_t i = 0; i < own_weights_.size(); ++i) {
    const double weight = own_weights_[i] * scales_[i] * scales_[i];
    for (std::size_t t = 0; t < parameters_; ++t) by_parameters_[t] += weight * of_own_[i * parameters_ + t];
    if (asked_.by_graphs) add_graph(by_graphs_, of_own_by_graphs_, i, weight);
  }
}

void solve_weighted(const PreparedSet& set, const SetRequest& request, std::span<const Pair> list, PairSolver& solver,
                    BatchRunner& runner, SetSolution& found) {
  std::vector<std::size_t> own;
  std::vector<std::size_t> others;
  double work = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const bool with_itself = request.normalize && list[k].first == list[k].second;
    const bool is_own = with_itself && found.own[static_cast<std::size_t>(list[k].first)] == k;
    if (is_own) own.push_back(k);
    if (!with_itself) others.push_back(k);
    if (is_own || !with_itself) work += set.cost()(list[k]);
  }
  runner.expect(own.size() + others.size(), work);
  WeightedSums sums(set, solver, runner, {request.normalize, request.by_graphs, request.edge_attribute});
  if (!own.empty()) sums.add_own(list, std::move(own), found.results);
  sums.add(list, std::move(others), request.weights, found.results);
  sums.finish();
  found.derivatives = sums.by_parameters();
  found.by_graphs = sums.by_graphs();
}

}  // namespace octile
