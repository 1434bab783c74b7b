// SPDX-License-Identifier: BSD-3-Clause
#include "readers/target.hpp"

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/text.hpp"

namespace octile::app {

std::optional<double> target_value(std::string_view target, std::string_view text) {
  text = trimmed(text);
  const std::string word = lower_case(text);
  if (word.empty() || word == "nan" || word == "na") return std::nullopt;
  const std::optional<double> value = finite_number(text);
  if (!value) {
    throw Error(fmt::format("target '{}' is {}; allowed is a finite number, or nothing", target, in_quotes(text)));
  }
  return value;
}

}  // namespace octile::app
