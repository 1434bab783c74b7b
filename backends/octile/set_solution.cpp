// SPDX-License-Identifier: BSD-3-Clause
#include <octile/set_solution.hpp>

#include <octile/backends.hpp>
#include <octile/base/parallel.hpp>
#include <octile/base/shared_tables.hpp>
#include <octile/batch_runner.hpp>
#include <octile/certify/normalised.hpp>
#include <octile/error.hpp>
#include <octile/graphs/zeros.hpp>
#include <octile/interruption.hpp>
#include <octile/node_writer.hpp>
#include <octile/refinement.hpp>
#include <octile/round_runner.hpp>
#include <octile/weighted_solution.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace octile {
namespace {

constexpr std::size_t no_place = std::numeric_limits<std::size_t>::max();

/// The share of the memory that node-wise solutions may take while they are contracted.
constexpr std::size_t nodes_share = 8;

/// ∂(K / √(K_i K_j)) = (∂K − K (∂K_i / K_i + ∂K_j / K_j) / 2) / √(K_i K_j), in place.
void normalise(std::span<double> derivatives, double value, double first, double second,
               std::span<const double> of_first, std::span<const double> of_second) {
  const double scale = normalising_scale(first) * normalising_scale(second);
  if (scale == 0) {  // the value is 0 for all parameters
    std::ranges::fill(derivatives, 0.0);
    return;
  }
  for (std::size_t t = 0; t < derivatives.size(); ++t) {
    derivatives[t] = scale * (derivatives[t] - 0.5 * value * (of_first[t] / first + of_second[t] / second));
  }
}

/// A solve of a set: the request as a list of places, each with a pair, its result and what else is asked of it.
class SetRun {
 public:
  SetRun(const PreparedSet& set, const KernelSpec& kernel, const SetRequest& request)
      : set_(set), kernel_(kernel), request_(request), options_(set.options()) {
    options_.normalize = request.normalize;
    if (derivatives()) options_ = options_of_derivatives(options_, request.normalize);
    count_ = request.pairs ? request.pairs->size() : pair_count(set.size());
    require_allowed();
    // Zeros for millions of pairs take as long as preparing the set: another thread writes them.
    if (!request.pairs) zeros_ = std::async(std::launch::async, [count = count_] { return zeros<PairResult>(count); });
    if (request.pairs) list_.assign(request.pairs->begin(), request.pairs->end());
    if (request.normalize) find_own();
  }

  SetSolution run() {
    const Clock::time_point start = Clock::now();
    const Purpose purpose = of_nodes()                                ? Purpose::node_derivatives
                            : derivatives()                           ? Purpose::derivatives
                            : request_.nodes == NodeOutput::not_asked ? Purpose::values
                                                                      : Purpose::solutions;
    solver_ = make_gram_solver(set_.graphs(), kernel_, options_, set_.cost(), purpose, &vertex_tables_);
    finer_ = finer_lowering(*solver_, options_);
    std::optional<Triangle> triangle;
    if (!request_.pairs) triangle.emplace(set_.cost());
    found_.parameters = derivatives() ? solver_->parameter_count() : 0;
    found_.description = solver_->description();
    found_.setup_seconds = seconds_since(start);
    if (options_.on_start) options_.on_start(found_.description);

    const Clock::time_point solve_start = Clock::now();
    found_.results = request_.pairs ? Results(list_.size()) : zeros_.get();
    if (request_.nodes != NodeOutput::not_asked) {
      list_all();
      nodes_.emplace(set_, request_.nodes, std::span<const Pair>(list_).first(count_));
      if (of_nodes() && request_.node_weights.size() != nodes_->numbers()) {
        throw Error(fmt::format("{} weights of vertices for {} numbers of vertices; allowed is one each",
                                request_.node_weights.size(), nodes_->numbers()));
      }
    }
    if (request_.derivatives == Derivatives::weighted && !of_nodes()) {
      list_all();
      BatchRunner runner = make_runner();
      solve_weighted(set_, request_, list_, *solver_, runner, found_);
    } else {
      if (derivatives()) found_.derivatives.resize(found_.results.size() * found_.parameters);
      BatchRunner runner = make_runner();
      triangle ? solve_places(runner, std::move(*triangle))
               : solve_places(runner, PlacedPairs(list_, all_places(), set_.cost()));
      if (derivatives() && request_.normalize) normalise_derivatives();
      if (request_.derivatives == Derivatives::weighted) add_derivatives();
    }
    found_.refined += solver_->solved_again();
    copy_own_results();
    if (nodes_) nodes_->give(found_.nodes, found_.nodes_begin);
    found_.solve_seconds = seconds_since(solve_start);
    return std::move(found_);
  }

 private:
  using Results = std::vector<PairResult>;

  bool derivatives() const { return request_.derivatives != Derivatives::not_asked; }
  bool of_nodes() const { return !request_.node_weights.empty(); }

  void require_allowed() const {
    if (derivatives() && request_.nodes != NodeOutput::not_asked && !of_nodes()) {
      throw Error(
          "derivatives and node-wise values are asked for at once; allowed is one of the two, or weights of the "
          "vertices");
    }
    const bool plain = !request_.normalize && !request_.by_graphs && request_.weights.empty();
    if (of_nodes() && !(derivatives() && request_.nodes != NodeOutput::not_asked && plain)) {
      throw Error(
          "vertices have weights; allowed is that with node-wise values and derivatives by the kernel's parameters, "
          "neither normalised nor by graphs nor with weights of pairs");
    }
    if (request_.by_graphs && request_.derivatives != Derivatives::weighted) {
      throw Error("derivatives by what graphs hold are asked for without weights; allowed is Derivatives::weighted");
    }
    const auto size = static_cast<std::int32_t>(set_.size());
    for (std::size_t k = 0; request_.pairs && k < request_.pairs->size(); ++k) {
      const Pair pair = (*request_.pairs)[k];
      if (std::min(pair.first, pair.second) >= 0 && std::max(pair.first, pair.second) < size) continue;
      throw Error(
          fmt::format("pair {} is of graphs {} and {}; allowed is 0 to {}", k, pair.first, pair.second, size - 1));
    }
    require_finite(request_.weights, "pair");
    require_finite(request_.node_weights, "vertex number");
    if (request_.derivatives == Derivatives::weighted && !of_nodes() && request_.weights.size() != count_) {
      throw Error(fmt::format("{} pairs and {} weights; allowed is one a pair", count_, request_.weights.size()));
    }
  }

  static void require_finite(std::span<const double> weights, const char* of) {
    const auto wrong = std::ranges::find_if_not(weights, [](double weight) { return std::isfinite(weight); });
    if (wrong == weights.end()) return;
    throw Error(fmt::format("the weight of {} {} is {}; allowed are numbers that are finite", of,
                            wrong - weights.begin(), *wrong));
  }

  /// Gives each graph of the pairs a place for its pair with itself.
  void find_own() {
    found_.own.assign(set_.size(), no_place);
    if (!request_.pairs) {
      for (std::size_t i = 0; i < set_.size(); ++i) found_.own[i] = pair_index(i, i, set_.size());
      return;
    }
    for (std::size_t k = 0; k < count_; ++k) {
      for (const std::int32_t graph : {list_[k].first, list_[k].second}) {
        std::size_t& own = found_.own[static_cast<std::size_t>(graph)];
        if (own != no_place) continue;
        own = list_.size();
        list_.push_back({graph, graph});
      }
    }
  }

  /// Whether the pair at a place of a list need not be solved: its normalised value is 1, and its result that of the graph's own
  /// place. A solve for the vertices is made anyway.
  bool is_one(std::size_t place) const {
    return request_.normalize && request_.nodes == NodeOutput::not_asked && place < count_ &&
           list_[place].first == list_[place].second;
  }

  /// The places of a list that are solved.
  std::vector<std::size_t> all_places() const {
    std::vector<std::size_t> places;
    places.reserve(list_.size());
    for (std::size_t k = 0; k < list_.size(); ++k) {
      if (!is_one(k)) places.push_back(k);
    }
    return places;
  }

  BatchRunner make_runner() const { return {options_.on_progress, set_.cost()}; }
  const PairResult& own_result(std::int32_t graph) const {
    return found_.results[found_.own[static_cast<std::size_t>(graph)]];
  }
  std::span<double> derivatives_at(std::size_t place) {
    return std::span(found_.derivatives).subspan(place * found_.parameters, found_.parameters);
  }

  /// Lists all pairs, if they are what is asked for and are not listed yet.
  void list_all() {
    if (!request_.pairs && list_.empty()) list_ = triangle_pairs(set_.size());
  }

  template <class Schedule>
  void solve_places(BatchRunner& runner, Schedule schedule) {
    runner.expect(schedule.size(), schedule.work());
    StoppedPairs stopped{finer_.has_value()};
    run_by(runner, std::move(schedule), stopped);
    if (stopped.left.size() > 0) solve_stopped_again(runner, std::move(stopped.left));
  }

  /// Solves pairs that are expected already.
  template <class Schedule, class Rest>
  void run_by(BatchRunner& runner, Schedule schedule, Rest& rest) {
    const auto store = [this](std::size_t place, const PairResult& solved) { found_.results[place] = solved; };
    if (request_.nodes == NodeOutput::not_asked && !derivatives()) {
      RoundRunner rounds(runner, set_.cost(), find_backend(options_.backend).on_gpu);
      rounds.run(*solver_, std::move(schedule), store, rest);
      return;
    }
    runner.run(
        std::move(schedule),
        [&](std::span<const Pair> pairs, const Answer& answer, const auto& place) {
          solve_batch(pairs, answer.results, place);
        },
        store, rest);
  }

  template <class Place>
  void solve_batch(std::span<const Pair> pairs, std::span<PairResult> results, const Place& place) {
    if (request_.nodes != NodeOutput::not_asked) {
      solve_nodes(pairs, results, place);
      return;
    }
    std::vector<double> batch(pairs.size() * found_.parameters);
    Request request{pairs};
    request.derivatives = Derivatives::each;
    Answer answer{results};
    answer.derivatives = batch;
    solver_->solve(request, answer);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      std::ranges::copy(std::span(batch).subspan(k * found_.parameters, found_.parameters),
                        derivatives_at(place(k)).begin());
    }
  }

  /// Solves pairs a few at a time, so that their solutions take a share of the memory.
  template <class Place>
  void solve_nodes(std::span<const Pair> pairs, std::span<PairResult> results, const Place& place) {
    const std::size_t most = options_.memory / nodes_share / sizeof(double);
    std::vector<double> solutions;
    std::vector<double> node_weights;
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
      std::vector<std::size_t> begins;
      std::size_t length = 0;
      for (; end < pairs.size() && (end == begin || length + solver_->unknowns(pairs[end]) <= most); ++end) {
        begins.push_back(length);
        length += solver_->unknowns(pairs[end]);
      }
      solutions.resize(length);
      const std::span<const Pair> part = pairs.subspan(begin, end - begin);
      Request request{part, RightHandSide::stopping, begins};
      Answer answer{results.subspan(begin, end - begin), solutions};
      std::vector<double> of_part(of_nodes() ? part.size() * found_.parameters : 0);
      if (of_nodes()) {
        node_weights.resize(length);
        for (std::size_t k = 0; k < part.size(); ++k) {
          nodes_->weigh(part[k], request_.node_weights, place(begin + k),
                        std::span(node_weights).subspan(begins[k], solver_->unknowns(part[k])));
        }
        request.node_weights = node_weights;
        request.derivatives = Derivatives::each;
        answer.derivatives = of_part;
      }
      solver_->solve(request, answer);
      for (std::size_t k = 0; k < part.size() && of_nodes(); ++k) {
        std::ranges::copy(std::span(of_part).subspan(k * found_.parameters, found_.parameters),
                          derivatives_at(place(begin + k)).begin());
      }
      in_parallel(part.size(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
          const std::size_t at = place(begin + k);
          // Nothing is asked of the vertices of pairs (i, i) that a normalised list adds.
          if (at < count_)
            nodes_->write(part[k], std::span(solutions).subspan(begins[k], solver_->unknowns(part[k])), at);
        }
      });
    }
  }

  void solve_stopped_again(BatchRunner& runner, LeftPairs stopped) {
    found_.refined = stopped.size();
    solver_.reset();
    solver_ = make_finer_solver(set_.graphs(), kernel_, options_, *finer_, set_.cost(), &vertex_tables_);
    NothingLeft nothing;
    run_by(runner, LeftSchedule(std::move(stopped), set_.cost()), nothing);
  }

  /// Adds the derivatives of all pairs, in their order.
  void add_derivatives() {
    std::vector<double> sums(found_.parameters);
    for (std::size_t k = 0; k < found_.derivatives.size(); ++k) sums[k % sums.size()] += found_.derivatives[k];
    found_.derivatives = std::move(sums);
  }

  void normalise_derivatives() {
    const std::size_t count = found_.parameters;
    std::vector<double> of_own(set_.size() * count);  // those of K_ii, which are overwritten
    for (std::size_t i = 0; i < set_.size(); ++i) {
      if (found_.own[i] == no_place) continue;
      std::ranges::copy(derivatives_at(found_.own[i]), of_own.begin() + static_cast<std::ptrdiff_t>(i * count));
    }
    const auto of = [&](std::int32_t graph) {
      return std::span<const double>(of_own).subspan(static_cast<std::size_t>(graph) * count, count);
    };
    list_all();
    for (std::size_t k = 0; k < count_; ++k) {
      const auto [i, j] = list_[k];
      if (i == j) {
        std::ranges::fill(derivatives_at(k), 0.0);
      } else {
        normalise(derivatives_at(k), found_.results[k].value, own_result(i).value, own_result(j).value, of(i), of(j));
      }
    }
    found_.derivatives.resize(count_ * count);
  }

  /// Pairs (i, i) of a normalised list were not solved again.
  void copy_own_results() {
    if (!request_.normalize || !request_.pairs) return;
    for (std::size_t k = 0; k < count_; ++k) {
      if (is_one(k)) found_.results[k] = own_result(list_[k].first);
    }
  }

  const PreparedSet& set_;
  const KernelSpec& kernel_;
  const SetRequest& request_;
  GramOptions options_;
  SetSolution found_;
  std::size_t count_ = 0;  ///< pairs asked for
  /// The pairs of a request with a list, then the pairs (i, i) that normalised values need. Without a list it is empty
  /// until `list_all`.
  std::vector<Pair> list_;
  std::future<Results> zeros_;
  SharedTables vertex_tables_;  ///< of all solvers
  std::unique_ptr<PairSolver> solver_;
  std::optional<Lowering> finer_;
  std::optional<NodeWriter> nodes_;
};

}  // namespace

std::vector<Pair> triangle_pairs(std::size_t size) {
  std::vector<Pair> pairs;
  pairs.reserve(pair_count(size));
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(size); ++i) {
    for (std::int32_t j = i; j < static_cast<std::int32_t>(size); ++j) pairs.push_back({i, j});
  }
  return pairs;
}

GramOptions options_of_derivatives(GramOptions options, bool normalize) {
  if (!options.accuracy) options.accuracy = Accuracy{};
  if (!is_certified(options)) {
    throw Error("derivatives are formed with a proven accuracy only; allowed is to set one that is not estimated");
  }
  options.normalize = normalize;
  return options;
}

SetSolution solve_set(const PreparedSet& set, const KernelSpec& kernel, const SetRequest& request) {
  const InterruptionScope interruption(set.options().on_prepare);
  return SetRun(set, kernel, request).run();
}

}  // namespace octile
