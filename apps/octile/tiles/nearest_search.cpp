// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/nearest_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include <octile/accuracy.hpp>
#include <octile/backends.hpp>
#include <octile/batch_runner.hpp>
#include <octile/certify/normalised.hpp>

namespace octile::app {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// What rough values are solved to. Finer ones leave fewer pairs to be solved again, and take more products each.
constexpr double rough_accuracy = 0.01;
/// How far a value that is solved to the end may be off. Far more than any accuracy allows, so that the list is right where a pair
/// misses its accuracy, too.
constexpr double slack = Accuracy::most;
/// Rounding of a value that is normalised, twice.
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
/// Candidates that are kept at least before they are solved, and of which so many are solved at once.
constexpr std::size_t least_kept = std::size_t(1) << 16U;
/// The share of the search's memory that they may take.
constexpr std::size_t candidates_share = 8;
/// A search has to save a tenth of the products.
constexpr double worthwhile = 0.9;

/// The products of a pair's systems: one an iteration, and one for the residual of each system that is certified.
double products_of(const PairResult& result, int systems) { return result.iterations + systems; }

GramOptions rough_options(const MatrixRequest& request, std::size_t memory,
                          const std::function<bool(const Progress&)>& on_progress) {
  GramOptions options = request.options;
  options.accuracy = Accuracy{Accuracy::Kind::certified, rough_accuracy};
  options.precision.reset();
  options.normalize = false;
  // The graphs are in their order already.
  options.order = reorder::OrderId::natural;
  options.memory = memory - memory / candidates_share;
  options.on_start = {};
  options.on_reorder = {};
  options.on_progress = on_progress;
  return options;
}

/// Up to so many numbers below `count`, evenly spaced.
std::vector<std::int32_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::int32_t> numbers(std::min(count, most));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    numbers[k] = static_cast<std::int32_t>(k * count / numbers.size());
  }
  return numbers;
}

}  // namespace

void Floors::offer(std::size_t row, double low) {
  std::vector<double>& heap = rows_[row];
  if (std::isnan(low)) low = -infinite;
  if (heap.size() < most_) {
    heap.push_back(low);
  } else if (most_ > 0 && low > heap.front()) {
    std::ranges::pop_heap(heap, std::greater());
    heap.back() = low;
  } else {
    return;
  }
  std::ranges::push_heap(heap, std::greater());
}

double Floors::of(std::size_t row) const {
  const std::vector<double>& heap = rows_[row];
  return heap.size() < most_ || heap.empty() ? -infinite : heap.front();
}

bool NearestSearch::is_possible(const GramOptions& options) {
  const Backend& backend = find_backend(options.backend);
  return options.accuracy && options.accuracy->kind == Accuracy::Kind::certified && !backend.on_gpu && !backend.exact;
}

NearestSearch::NearestSearch(const MatrixRequest& request, const Tiling& tiling, std::size_t most, MatrixSolver& solver,
                             std::size_t memory, const std::function<bool(const Progress&)>& on_progress)
    : tiling_(tiling),
      most_(most),
      solver_(solver),
      rough_set_(solver.graphs(), rough_options(request, memory, on_progress)),
      rough_(rough_set_, *request.kernel, Purpose::rough),
      floors_(tiling.rows(), most),
      most_candidates_(std::max(least_kept, memory / candidates_share / sizeof(Candidate))) {}

/// With K' the rough value and e its bound, K is between K'/(1 + e) and K'/(1 − e), and what will be computed of it is off by the slack at most.
NearestSearch::Interval NearestSearch::interval(Pair pair, const PairResult& rough) const {
  const auto scale = [this](std::int32_t graph) { return normalising_scale(solver_.own(graph).value); };
  const double value = normalised_value(rough.value, scale(pair.first), scale(pair.second));
  if (!(rough.error_bound < 1) || std::isnan(value)) return {-infinite, infinite};
  return {value / (1 + rough.error_bound) * (1 - slack - rounding),
          value / (1 - rough.error_bound) * (1 + slack + rounding)};
}

bool NearestSearch::may_enter(Pair pair, double high) const {
  // An equal value may enter too: the smaller column comes first.
  return !(high < floors_.of(row_of(pair))) ||
         (tiling_.symmetric() && !(high < floors_.of(static_cast<std::size_t>(pair.second))));
}

bool NearestSearch::pays() {
  constexpr std::size_t sampled_rows = 16;
  constexpr std::size_t sampled_columns = 256;
  constexpr std::size_t solved_to_the_end = 64;
  if (!rough_.iterates()) return false;
  const std::vector<std::int32_t> columns = spread(tiling_.columns(), sampled_columns);
  const std::int32_t first_column = tiling_.symmetric() ? 0 : static_cast<std::int32_t>(tiling_.rows());
  std::vector<Pair> pairs;
  for (const std::int32_t row : spread(tiling_.rows(), sampled_rows)) {
    for (const std::int32_t column : columns) {
      if (!tiling_.symmetric() || row != column) pairs.push_back({row, first_column + column});
    }
  }
  if (pairs.empty()) return false;
  std::vector<PairResult> rough(pairs.size());
  const Clock::time_point start = Clock::now();
  rough_.expect(pairs);
  rough_.solve(pairs, rough);
  seconds_ += seconds_since(start);
  // The part of a row's sample that counts as near is that of all its columns, rounded up.
  const std::size_t near = (most_ * columns.size() + tiling_.columns() - 1) / tiling_.columns();
  Floors floors(tiling_.rows(), near);
  double products = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    floors.offer(row_of(pairs[k]), interval(pairs[k], rough[k]).low);
    products += products_of(rough[k], 1);
  }
  std::size_t left = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!(interval(pairs[k], rough[k]).high < floors.of(row_of(pairs[k])))) ++left;
  }
  std::vector<Pair> some;
  for (const std::int32_t k : spread(pairs.size(), solved_to_the_end))
    some.push_back(pairs[static_cast<std::size_t>(k)]);
  std::vector<PairResult> solved(some.size());
  Statistics not_counted;
  solver_.solve(some, solved, not_counted);
  double full = 0;
  for (const PairResult& result : solved) full += products_of(result, 2);
  full /= static_cast<double>(some.size());
  const auto all = static_cast<double>(pairs.size());
  // A pair of two rows goes on for either.
  const double share = std::min(1.0, static_cast<double>(left) / all * (tiling_.symmetric() ? 2 : 1));
  rough_share_ = products / (products + share * full * all);
  return products / all + share * full < worthwhile * full;
}

void NearestSearch::add_rough(const Tile& tile) {
  const Block wanted = tiling_.block(tile, false);
  results_.resize(wanted.places());
  const Clock::time_point start = Clock::now();
  rough_.solve(wanted, results_);
  seconds_ += seconds_since(start);
  const auto each = [&](const auto& take) {
    for (std::int32_t i = wanted.rows.begin; i < wanted.rows.end; ++i) {
      for (std::int32_t j = wanted.symmetric() ? i + 1 : wanted.columns.begin; j < wanted.columns.end; ++j) {
        take(Pair{i, j}, results_[wanted.place({i, j})]);
      }
    }
  };
  each([&](Pair pair, const PairResult& rough) {
    const double low = interval(pair, rough).low;
    floors_.offer(row_of(pair), low);
    if (tiling_.symmetric()) floors_.offer(static_cast<std::size_t>(pair.second), low);
    counts_.rough_products += products_of(rough, 1);
    ++counts_.pairs;
  });
  each([&](Pair pair, const PairResult& rough) {
    const double high = interval(pair, rough).high;
    if (may_enter(pair, high)) candidates_.push_back({pair, high});
  });
}

void NearestSearch::forget_far() {
  std::erase_if(candidates_, [this](const Candidate& one) { return !may_enter(one.pair, one.high); });
}

void NearestSearch::settle(Nearest& nearest, Statistics& statistics) {
  forget_far();
  std::vector<Pair> pairs;
  std::vector<PairResult> solved;
  const std::span<const Candidate> all(candidates_);
  for (std::size_t begin = 0; begin < all.size(); begin += least_kept) {
    pairs.clear();
    for (const Candidate& one : all.subspan(begin, std::min(least_kept, all.size() - begin))) pairs.push_back(one.pair);
    solved.resize(pairs.size());
    solver_.solve(pairs, solved, statistics);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const PairResult asked =
          normalised(pairs[k], solved[k], solver_.own(pairs[k].first), solver_.own(pairs[k].second));
      const auto row = static_cast<std::size_t>(pairs[k].first);
      const auto second = static_cast<std::size_t>(pairs[k].second);
      nearest.add(row, tiling_.symmetric() ? second : second - tiling_.rows(), asked.value, asked.error_bound);
      PairResult counted = solved[k];
      counted.status = asked.status;
      statistics.add(row, second, counted, asked.error_bound);
      counts_.finished_products += products_of(solved[k], 2);
      ++counts_.finished;
    }
  }
  candidates_.clear();
}

EarlyStops NearestSearch::run(Nearest& nearest, const Groups& groups) {
  TopDone& done = groups.done;
  counts_ = done.search;
  // The neighbours of tiles that are done are as many values that are certain.
  for (std::size_t row = 0; row < nearest.rows(); ++row) {
    for (const Neighbour& one : nearest.of(row)) floors_.offer(row, one.value);
  }
  for (std::size_t number = done.next; number < tiling_.count(); ++number)
    rough_.expect(tiling_.block(tiling_.tile(number), false));
  std::vector<Tile> group;
  Statistics of_group;
  Clock::time_point begun = Clock::now();
  const auto end_group = [&] {
    settle(nearest, of_group);
    done.next += group.size();
    done.search = counts_;
    done.statistics.add(of_group);
    if (groups.reached && !group.empty()) groups.reached({done.next, of_group, counts_}, group);
    group.clear();
    of_group = {};
    begun = Clock::now();
  };
  for (std::size_t number = done.next; number < tiling_.count(); ++number) {
    group.push_back(tiling_.tile(number));
    add_rough(group.back());
    // Each tile raises the floors.
    if (candidates_.size() > most_candidates_) forget_far();
    const bool many = candidates_.size() > most_candidates_ / 2;
    if (many || (groups.reached && seconds_since(begun) >= groups.seconds)) end_group();
  }
  end_group();
  solver_.count_own(done.statistics);
  EarlyStops stops;
  stops.pairs = counts_.pairs - counts_.finished;
  stops.products = counts_.rough_products + counts_.finished_products;
  const double each = counts_.finished > 0 ? counts_.finished_products / static_cast<double>(counts_.finished) : 0;
  stops.products_of_all = each * static_cast<double>(counts_.pairs);
  return stops;
}

}  // namespace octile::app
