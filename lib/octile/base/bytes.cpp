// SPDX-License-Identifier: BSD-3-Clause
#include <octile/base/bytes.hpp>

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile {
namespace {

constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};

}  // namespace

std::string format_bytes(std::size_t bytes) {
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // Changes units from 1000 on and not from 1024, so that three digits suffice.
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, units[unit]);
}

std::size_t parse_bytes(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  std::string_view unit(end);
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  double factor = 1;
  for (const std::string_view name : units) {
    // The whole unit, such as "MiB", or its first letter; nothing means bytes.
    if (unit == name || (!unit.empty() && name != "B" && unit == name.substr(0, 1)) || (unit.empty() && name == "B")) {
      if (end == copy.c_str() || !(value > 0) || !(value * factor < 0x1p60)) break;
      return static_cast<std::size_t>(std::floor(value * factor));
    }
    factor *= 1024;
  }
  throw Error(fmt::format(
      "'{}' is no amount of memory; allowed is a positive number of B, KiB, MiB, GiB or TiB, such as 8GiB", text));
}

}  // namespace octile
