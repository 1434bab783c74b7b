// SPDX-License-Identifier: BSD-3-Clause
#include <octile/weighted_solution.hpp>

#include <octile/graph_derivatives.hpp>
#include <octile/normalised.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace octile {
namespace {

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

/// The derivatives of K_ii of each graph i.
struct OwnDerivatives {
  std::vector<double> by_parameters;  ///< graphs × parameters
  GraphDerivatives by_graphs;         ///< those of graph i are those of K_ii
};

class WeightedRun {
 public:
  WeightedRun(const PreparedSet& set, const SetRequest& request, std::span<const Pair> list, PairSolver& solver,
              BatchRunner& runner, SetSolution& found)
      : set_(set), request_(request), list_(list), solver_(solver), runner_(runner), found_(found) {}

  void run() {
    PlacedPairs own = places([this](std::size_t k) { return is_own(k); });
    PlacedPairs others =
        places([this](std::size_t k) { return !(request_.normalize && list_[k].first == list_[k].second); });
    runner_.expect(own.size() + others.size(), own.work() + others.work());
    const OwnDerivatives of_own = solve_own(std::move(own));
    solve_others(std::move(others));
    if (request_.normalize) add_own(of_own);
  }

 private:
  /// Whether the pair at a place is there for the normalisation.
  bool is_own(std::size_t place) const {
    return request_.normalize && found_.own[static_cast<std::size_t>(list_[place].first)] == place;
  }

  template <class Predicate>
  PlacedPairs places(const Predicate& wanted) const {
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < list_.size(); ++k) {
      if (wanted(k)) places.push_back(k);
    }
    return {list_, std::move(places), set_.cost()};
  }

  double own_value(std::int32_t graph) const {
    return found_.results[found_.own[static_cast<std::size_t>(graph)]].value;
  }
  double scale(Pair pair) const {
    if (!request_.normalize) return 1;
    return normalising_scale(own_value(pair.first)) * normalising_scale(own_value(pair.second));
  }

  GraphDerivatives room_by_graphs() const {
    if (!request_.by_graphs) return {};
    return zero_derivatives(set_.graphs(), !request_.edge_attribute.empty());
  }
  void ask_by_graphs(Request& request, Answer& answer, GraphDerivatives& sums) const {
    if (!request_.by_graphs) return;
    request.edge_attribute = request_.edge_attribute;
    answer.by_graphs = &sums;
  }

  template <class Solve>
  void solve(PlacedPairs schedule, const Solve& solve) {
    NothingLeft nothing;
    runner_.run(
        std::move(schedule), solve,
        [this](std::size_t place, const PairResult& solved) { found_.results[place] = solved; }, nothing);
  }

  OwnDerivatives solve_own(PlacedPairs own) {
    const std::size_t count = found_.parameters;
    OwnDerivatives of_own{std::vector<double>(set_.size() * count), room_by_graphs()};
    solve(std::move(own), [&](std::span<const Pair> pairs, const Answer& values, const auto&) {
      std::vector<double> batch(pairs.size() * count);
      const std::vector<double> ones(pairs.size(), 1.0);
      Request request{pairs};
      request.derivatives = Derivatives::each;
      request.weights = ones;
      Answer answer{values.results};
      answer.derivatives = batch;
      ask_by_graphs(request, answer, of_own.by_graphs);
      solver_.solve(request, answer);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto row = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(pairs[k].first) * count);
        std::ranges::copy(std::span(batch).subspan(k * count, count), of_own.by_parameters.begin() + row);
      }
    });
    return of_own;
  }

  void solve_others(PlacedPairs others) {
    found_.derivatives.assign(found_.parameters, 0.0);
    found_.by_graphs = room_by_graphs();
    std::vector<double> weights;
    solve(std::move(others), [&](std::span<const Pair> pairs, const Answer& values, const auto& place) {
      weights.resize(pairs.size());
      for (std::size_t k = 0; k < pairs.size(); ++k) weights[k] = request_.weights[place(k)] * scale(pairs[k]);
      Request request{pairs};
      request.derivatives = Derivatives::weighted;
      request.weights = weights;
      Answer answer{values.results};
      answer.derivatives = found_.derivatives;
      ask_by_graphs(request, answer, found_.by_graphs);
      solver_.solve(request, answer);
    });
  }

  void add_own(const OwnDerivatives& of_own) {
    const std::size_t count = found_.parameters;
    std::vector<double> own_weights(set_.size(), 0.0);
    for (std::size_t k = 0; k < request_.weights.size(); ++k) {
      const auto [i, j] = list_[k];
      if (i == j || own_value(i) == 0 || own_value(j) == 0) continue;
      const double share = 0.5 * request_.weights[k] * found_.results[k].value * scale({i, j});
      own_weights[static_cast<std::size_t>(i)] -= share / own_value(i);
      own_weights[static_cast<std::size_t>(j)] -= share / own_value(j);
    }
    for (std::size_t i = 0; i < set_.size(); ++i) {
      const double weight = own_weights[i];
      for (std::size_t t = 0; t < count; ++t) found_.derivatives[t] += weight * of_own.by_parameters[i * count + t];
      if (request_.by_graphs) add_graph(found_.by_graphs, of_own.by_graphs, i, weight);
    }
  }

  const PreparedSet& set_;
  const SetRequest& request_;
  std::span<const Pair> list_;
  PairSolver& solver_;
  BatchRunner& runner_;
  SetSolution& found_;
};

}  // namespace

void solve_weighted(const PreparedSet& set, const SetRequest& request, std::span<const Pair> list, PairSolver& solver,
                    BatchRunner& runner, SetSolution& found) {
  WeightedRun(set, request, list, solver, runner, found).run();
}

}  // namespace octile
