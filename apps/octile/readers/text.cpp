// SPDX-License-Identifier: BSD-3-Clause
#include "readers/text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace octile::app {

std::string with_commas(std::size_t count) {
  std::string digits = fmt::format("{}", count);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

std::string counted(std::size_t count, std::string_view word, std::string_view plural) {
  if (count != 1 && !plural.empty()) return fmt::format("{} {}", with_commas(count), plural);
  return fmt::format("{} {}{}", with_commas(count), word, count == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  if (seconds < 9.95) return fmt::format("{:.2g} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string rate(double per_second) {
  if (!std::isfinite(per_second) || per_second < 0) return "?";
  if (per_second < 100) return fmt::format("{:.3g}", per_second);
  return with_commas(static_cast<std::size_t>(std::llround(per_second)));
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  // A multi-byte character must not be cut, or the message is no longer UTF-8.
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; };
  std::string shown(text);
  if (text.size() > longest) {
    std::size_t head = longest * 2 / 3;
    std::size_t tail = text.size() - longest / 3;
    while (head > 0 && continues(text[head])) --head;
    while (tail < text.size() && continues(text[tail])) ++tail;
    shown = fmt::format("{} ... {}", text.substr(0, head), text.substr(tail));
  }
  for (char& byte : shown) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x20U || code == 0x7FU) byte = '?';
  }
  return fmt::format("'{}'", shown);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

}  // namespace octile::app
