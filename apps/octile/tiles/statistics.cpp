// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

namespace octile::app {
namespace {

/// JSON has neither NaN nor infinity: null stands for what is not finite.
nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

double number_or(const nlohmann::json& value, double otherwise) {
  return value.is_null() ? otherwise : value.get<double>();
}

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

void Statistics::add(std::size_t i, std::size_t j, const PairResult& result, double bound) {
  ++pairs_;
  const auto iterations = static_cast<std::size_t>(std::max(result.iterations, 0));
  if (iterations >= by_iterations_.size()) by_iterations_.resize(iterations + 1);
  ++by_iterations_[iterations];
  largest_error_ = std::max(largest_error_, bound);
  if (result.status != Status::converged) add_unconverged({i, j, result});
}

void Statistics::add_own(std::size_t graph, const PairResult& result) {
  if (result.status != Status::converged) add_unconverged({graph, graph, result});
}

void Statistics::add_earlier(std::size_t unconverged, double largest_error) {
  unconverged_count_ += unconverged;
  largest_error_ = std::max(largest_error_, largest_error);
}

void Statistics::add_unconverged(const Unconverged& pair) {
  ++unconverged_count_;
  if (unconverged_.size() < most_listed) unconverged_.push_back(pair);
}

void Statistics::add(const Statistics& other) {
  pairs_ += other.pairs_;
  refined_ += other.refined_;
  largest_error_ = std::max(largest_error_, other.largest_error_);
  by_iterations_.resize(std::max(by_iterations_.size(), other.by_iterations_.size()));
  for (std::size_t k = 0; k < other.by_iterations_.size(); ++k) by_iterations_[k] += other.by_iterations_[k];
  unconverged_count_ += other.unconverged_count_;
  const std::size_t taken = std::min(other.unconverged_.size(), most_listed - unconverged_.size());
  unconverged_.insert(unconverged_.end(), other.unconverged_.begin(),
                      other.unconverged_.begin() + static_cast<std::ptrdiff_t>(taken));
}

Summary Statistics::summary(SolveFacts facts, std::size_t before) const {
  Summary summary;
  summary.pairs = pairs_;
  if (facts.solve_seconds > 0) {
    summary.pairs_per_second = static_cast<double>(pairs_ - before) / facts.solve_seconds;
  }
  summary.facts = std::move(facts);
  summary.facts.refined = refined_;
  summary.largest_error = largest_error_;
  summary.unconverged = unconverged_;
  std::ranges::sort(summary.unconverged, {},
                    [](const Unconverged& pair) { return std::pair(pair.first, pair.second); });
  summary.unlisted = unconverged_count_ - unconverged_.size();
  std::size_t counted = 0;
  bool any = false;
  for (std::size_t k = 0; k < by_iterations_.size(); ++k) {
    if (by_iterations_[k] == 0) continue;
    const auto iterations = static_cast<std::int32_t>(k);
    if (!std::exchange(any, true)) summary.fewest_iterations = iterations;
    if (counted <= pairs_ / 2 && pairs_ / 2 < counted + by_iterations_[k]) summary.median_iterations = iterations;
    summary.most_iterations = iterations;
    counted += by_iterations_[k];
  }
  return summary;
}

nlohmann::json Statistics::to_json() const {
  nlohmann::json iterations = nlohmann::json::array();
  for (std::size_t k = 0; k < by_iterations_.size(); ++k) {
    if (by_iterations_[k] > 0) iterations.push_back({k, by_iterations_[k]});
  }
  nlohmann::json listed = nlohmann::json::array();
  for (const Unconverged& pair : unconverged_) {
    const PairResult& result = pair.result;
    listed.push_back({pair.first, pair.second, finite_or_null(result.value), finite_or_null(result.residual),
                      finite_or_null(result.error_bound), result.iterations, static_cast<std::int32_t>(result.status)});
  }
  return {{"pairs", pairs_},
          {"refined", refined_},
          {"largest_error", finite_or_null(largest_error_)},
          {"iterations", std::move(iterations)},
          {"unconverged", unconverged_count_},
          {"listed", std::move(listed)}};
}

Statistics Statistics::from_json(const nlohmann::json& document) {
  constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t most_iterations = std::size_t(1) << 31U;
  Statistics statistics;
  statistics.pairs_ = document.at("pairs").get<std::size_t>();
  statistics.refined_ = document.at("refined").get<std::size_t>();
  statistics.largest_error_ = number_or(document.at("largest_error"), infinite);
  for (const nlohmann::json& entry : document.at("iterations")) {
    const auto iterations = std::min(entry.at(0).get<std::size_t>(), most_iterations);
    if (iterations >= statistics.by_iterations_.size()) statistics.by_iterations_.resize(iterations + 1);
    statistics.by_iterations_[iterations] = entry.at(1).get<std::size_t>();
  }
  statistics.unconverged_count_ = document.at("unconverged").get<std::size_t>();
  for (const nlohmann::json& entry : document.at("listed")) {
    PairResult result;
    result.value = number_or(entry.at(2), no_number);
    result.residual = number_or(entry.at(3), no_number);
    result.error_bound = number_or(entry.at(4), infinite);
    result.iterations = entry.at(5).get<std::int32_t>();
    result.status = static_cast<Status>(entry.at(6).get<std::int32_t>());
    statistics.unconverged_.push_back({entry.at(0).get<std::size_t>(), entry.at(1).get<std::size_t>(), result});
  }
  return statistics;
}

}  // namespace octile::app
