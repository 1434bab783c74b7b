// SPDX-License-Identifier: BSD-3-Clause
#include "readers/xyz_comment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

/// Words separated by blanks. Blanks between double quotes do not separate.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < line.size();) {
    bool quoted = false;
    std::size_t end = begin;
    for (; end < line.size() && (quoted || (line[end] != ' ' && line[end] != '\t')); ++end) {
      if (line[end] == '"') quoted = !quoted;
    }
    if (end > begin) words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Finds where the columns of species:S:1 and pos:R:3 begin in repeated `name:type:width`.
void place_columns(std::string_view properties, XyzComment& comment) {
  const auto refuse = [properties](std::string_view what) {
    throw Error(fmt::format("'Properties' is {}; {}", in_quotes(properties), what));
  };
  const std::vector<std::string_view> parts = parts_of(properties, ':');
  if (parts.size() % 3 != 0) refuse("allowed are triples name:type:width");
  std::optional<std::size_t> element;
  std::optional<std::size_t> coordinates;
  std::size_t column = 0;
  for (std::size_t k = 0; k < parts.size(); k += 3) {
    const std::string_view width_text = parts[k + 2];
    std::uint16_t width = 0;
    const auto [end, fault] = std::from_chars(width_text.data(), width_text.data() + width_text.size(), width);
    if (fault != std::errc() || end != width_text.data() + width_text.size() || width == 0) {
      refuse("allowed as a width is a whole number, 1 or more");
    }
    if (parts[k] == "species" && parts[k + 1] == "S" && width == 1) element = column;
    if (parts[k] == "pos" && parts[k + 1] == "R" && width == 3) coordinates = column;
    column += width;
  }
  if (!element || !coordinates) refuse("expected are species:S:1 and pos:R:3 among others");
  comment.element = *element;
  comment.coordinates = *coordinates;
}

/// The three vectors of "ax ay az bx by bz cx cy cz".
std::array<Place, 3> lattice(std::string_view text) {
  const auto refuse = [text] {
    return Error(fmt::format("'Lattice' is {}; allowed are nine finite numbers, the three vectors of the cell in Å",
                             in_quotes(text)));
  };
  std::array<Place, 3> vectors = {};
  std::size_t count = 0;
  for (const std::string_view word : words_of(text)) {
    const std::optional<double> number = finite_number(word);
    if (!number || count == 9) throw refuse();
    vectors[count / 3][count % 3] = *number;
    ++count;
  }
  if (count != 9) throw refuse();
  return vectors;
}

/// Along which of the vectors a cell repeats: "T T F".
std::array<bool, 3> periodic_axes(std::string_view text) {
  std::array<bool, 3> axes = {};
  const std::vector<std::string_view> words = words_of(text);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string word = lower_case(words[k]);
    const bool yes = word == "t" || word == "true" || word == "1";
    const bool no = word == "f" || word == "false" || word == "0";
    if (words.size() != 3 || !(yes || no)) break;
    axes[k] = yes;
    if (k == 2) return axes;
  }
  throw Error(fmt::format("'pbc' is {}; allowed are three of T and F", in_quotes(text)));
}

/// Throws `Error` for a key of the format that stands there twice, or in other letters: a cell would be lost in silence.
void check_key(std::string_view key, std::set<std::string_view>& seen) {
  constexpr std::array<std::string_view, 4> own = {"name", "Properties", "Lattice", "pbc"};
  for (const std::string_view known : own) {
    if (key == known && !seen.insert(key).second) {
      throw Error(fmt::format("'{}' is given twice; allowed is once", known));
    }
    if (key != known && known != own.front() && lower_case(key) == lower_case(known)) {
      throw Error(fmt::format("the key {} is none of the format; allowed is '{}'", in_quotes(key), known));
    }
  }
}

/// Adds a target if the value is a number. Texts, such as lists of numbers, are none.
void add_target(std::string_view key, std::string_view value, XyzComment& comment) {
  const std::string_view digits = value.starts_with('+') ? value.substr(1) : value;
  double number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault == std::errc::invalid_argument || end != digits.data() + digits.size() || std::isnan(number)) return;
  if (fault != std::errc() || !std::isfinite(number)) {
    throw Error(
        fmt::format("the target {} is {}; allowed is a finite number, or NaN", in_quotes(key), in_quotes(value)));
  }
  if (!comment.targets.emplace(key, number).second) {
    throw Error(fmt::format("the target {} is given twice; allowed is once", in_quotes(key)));
  }
}

}  // namespace

XyzComment parse_xyz_comment(std::string_view line) {
  XyzComment comment;
  std::set<std::string_view> seen;
  std::optional<std::array<Place, 3>> vectors;
  std::optional<std::array<bool, 3>> periodic;
  const std::vector<std::string_view> words = words_of(line);
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = unquoted(word.substr(equals + 1));
    check_key(key, seen);
    if (key == "name") {
      comment.name = value;
    } else if (key == "Properties") {
      place_columns(value, comment);
    } else if (key == "Lattice") {
      vectors = lattice(value);
    } else if (key == "pbc") {
      periodic = periodic_axes(value);
    } else if (!key.empty()) {
      add_target(key, value, comment);
    }
  }
  if (vectors) comment.cell = PeriodicCell{*vectors, periodic.value_or(std::array{true, true, true})};
  if (!vectors && periodic && std::ranges::find(*periodic, true) != periodic->end()) {
    throw Error("'pbc' says that a cell repeats, but there is no 'Lattice'; allowed are both, or neither");
  }
  if (!words.empty() && words.front().find('=') == std::string_view::npos) comment.name = unquoted(words.front());
  return comment;
}

}  // namespace octile::app
