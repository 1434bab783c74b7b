// SPDX-License-Identifier: BSD-3-Clause
#include "readers/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace octile::app {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// The code point of the UTF-8 of so many bytes, which have the right marks.
std::uint32_t code_of(std::string_view bytes) {
  constexpr std::array first_bits = {0x7FU, 0x1FU, 0x0FU, 0x07U};
  std::uint32_t code = static_cast<unsigned char>(bytes.front()) & first_bits[bytes.size() - 1];
  for (const char byte : bytes.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  return code;
}

/// The number of bytes of the character that the text, which is not empty, begins with. What is no UTF-8 is one byte long.
std::size_t character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  if (lead >= 0xC2U && lead <= 0xDFU) length = 2;
  if (lead >= 0xE0U && lead <= 0xEFU) length = 3;
  if (lead >= 0xF0U && lead <= 0xF4U) length = 4;
  if (length > text.size()) return 1;
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues(text[k])) return 1;
  }
  // A code is valid in its shortest form only, as no half of a pair of UTF-16, and up to the last one of Unicode.
  const std::uint32_t code = code_of(text.substr(0, length));
  const bool valid = (length < 3 || code >= 0x800U) && (length < 4 || code >= 0x10000U) && code <= 0x10FFFFU &&
                     (code < 0xD800U || code > 0xDFFFU);
  return valid ? length : 1;
}

/// Whether a terminal does something else with it than showing it: it moves, erases, breaks the line or changes the direction.
bool controls(std::uint32_t code) {
  const auto within = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return code < 0x20U || within(0x7FU, 0x9FU) || within(0x200BU, 0x200FU) || within(0x2028U, 0x202EU) ||
         within(0x2060U, 0x206FU) || code == 0xFEFFU;
}

/// One character as messages show it.
std::string visible(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1 && (first >= 0x80U || controls(first))) return fmt::format("\\x{:02x}", first);
  const std::uint32_t code = code_of(character);
  return controls(code) ? fmt::format("\\u{:04x}", code) : std::string(character);
}

/// Columns of a terminal that the text takes, at one a character.
std::size_t width_of(std::string_view shown) {
  return static_cast<std::size_t>(std::ranges::count_if(shown, [](char byte) { return !continues(byte); }));
}

}  // namespace

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

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += character(text.substr(at))) {
    shown += visible(text.substr(at, character(text.substr(at))));
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t longest) {
  std::vector<std::string> characters;
  std::size_t width = 0;
  // A long text is read at its two ends alone, which is all that is shown of it.
  const std::size_t most_bytes = 4 * longest;
  const auto add = [&](std::string_view part) {
    for (std::size_t at = 0; at < part.size(); at += character(part.substr(at))) {
      characters.push_back(visible(part.substr(at, character(part.substr(at)))));
      width += width_of(characters.back());
    }
  };
  if (text.size() <= 2 * most_bytes) {
    add(text);
  } else {
    add(text.substr(0, most_bytes));
    add(text.substr(text.size() - most_bytes));
  }
  if (width <= longest) return fmt::format("{}", fmt::join(characters, ""));
  const auto taken = [](auto begin, auto end, std::size_t most) {
    std::size_t used = 0;
    auto place = begin;
    for (; place != end && used + width_of(*place) <= most; ++place) used += width_of(*place);
    return place;
  };
  const auto head = taken(characters.begin(), characters.end(), longest * 2 / 3);
  const auto tail = taken(characters.rbegin(), characters.rend(), longest / 3).base();
  return fmt::format("{} ... {}", fmt::join(characters.begin(), head, ""), fmt::join(tail, characters.end(), ""));
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  return fmt::format("'{}'", shortened(text, longest));
}

std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
  return lower;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

}  // namespace octile::app
