// SPDX-License-Identifier: BSD-3-Clause
#include <octile/accuracy.hpp>

#include <charconv>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {
namespace {

constexpr std::string_view estimated = "estimated:";

}  // namespace

Accuracy Accuracy::parse(std::string_view text) {
  Accuracy accuracy;
  std::string_view number = text;
  if (number.starts_with(estimated)) {
    accuracy.kind = Kind::estimated;
    number.remove_prefix(estimated.size());
  }
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), accuracy.value);
  if (fault != std::errc() || end != number.data() + number.size()) {
    throw Error(fmt::format("accuracy '{}': allowed is a number from {:g} to {:g}, such as 1e-6, or estimated:1e-6",
                            text, least, most));
  }
  accuracy.require_allowed();
  return accuracy;
}

void Accuracy::require_allowed() const {
  // Written so that NaN is refused too.
  if (value >= least && value <= most) return;
  throw Error(fmt::format("accuracy {:g}: allowed is a number from {:g} to {:g}", value, least, most));
}

std::string Accuracy::to_string() const {
  return fmt::format("{}{:g}", kind == Kind::estimated ? estimated : "", value);
}

}  // namespace octile
