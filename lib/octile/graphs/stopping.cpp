// SPDX-License-Identifier: BSD-3-Clause
#include <octile/stopping.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {

Stopping::Stopping(StoppingMeaning meaning, double q) : meaning_(meaning), q_(q) {
  if (meaning == StoppingMeaning::probability && !(q >= least && q < 1)) {
    throw Error(fmt::format("stopping probability q = {}: allowed is a number of at least {} and below 1", q, least));
  }
  if (meaning == StoppingMeaning::weight && !(q >= least && q <= most)) {
    throw Error(
        fmt::format("stopping weight q = {}: allowed is a number of at least {} and at most {}", q, least, most));
  }
}

Stopping Stopping::parse(std::string_view text) {
  const auto refuse = [text] {
    return Error(fmt::format("stopping '{}': allowed is weight:Q or probability:Q, such as weight:0.05", text));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) throw refuse();
  const std::string_view word = text.substr(0, colon);
  const std::string_view number = text.substr(colon + 1);
  double q = 0;
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), q);
  if (fault != std::errc() || end != number.data() + number.size()) throw refuse();
  if (word == "weight") return {StoppingMeaning::weight, q};
  if (word == "probability") return {StoppingMeaning::probability, q};
  throw refuse();
}

std::vector<double> Stopping::degrees(std::vector<double> weighted_degrees, double scale) const {
  if (meaning_ == StoppingMeaning::weight) {
    for (double& degree : weighted_degrees) degree += q_ * scale;
    return weighted_degrees;
  }
  double smallest = std::numeric_limits<double>::infinity();
  for (double& degree : weighted_degrees) {
    degree /= 1 - q_;
    if (degree > 0) smallest = std::min(smallest, degree);
  }
  const double isolated = std::isfinite(smallest) ? smallest : 1.0;
  std::ranges::replace(weighted_degrees, 0.0, isolated);
  return weighted_degrees;
}

std::string Stopping::to_string() const {
  return fmt::format("{}:{}", meaning_ == StoppingMeaning::weight ? "weight" : "probability", q_);
}

}  // namespace octile
