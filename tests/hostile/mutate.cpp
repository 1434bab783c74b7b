// SPDX-License-Identifier: BSD-3-Clause
#include "hostile/mutate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace octile::test {
namespace {

constexpr char likely[] =
    "0123456789 .,-+eE\t\n\r\"'<>[]{}()&;:#$%@=/\\_*|!?ACHNOacno\0\x01\x1B\x7F\x80\x9B\xC3\xE2\xFF";
// With the byte 0 among them, at which a plain literal would end.
constexpr std::string_view likely_bytes(likely, sizeof likely - 1);

constexpr std::array<std::string_view, 22> likely_words = {"nan",
                                                           "inf",
                                                           "1e999",
                                                           "-1e-320",
                                                           "9223372036854775807",
                                                           "9223372036854775808",
                                                           "-9223372036854775809",
                                                           "1.11e+01",
                                                           "null",
                                                           "true",
                                                           "{}",
                                                           "[]",
                                                           "\"\"",
                                                           "0x10",
                                                           "18446744073709551616",
                                                           "1,5",
                                                           "\r\n",
                                                           "\n\n",
                                                           "ATOM",
                                                           "ENDMDL",
                                                           "$$$$",
                                                           "\xEF\xBB\xBF"};

std::size_t place_in(std::size_t size, Random& random) {
  return static_cast<std::size_t>(random.below(static_cast<std::int32_t>(size)));
}

char likely_byte(Random& random) { return likely_bytes[place_in(likely_bytes.size(), random)]; }

/// A line, by its first byte and the first behind its line end.
struct Line {
  std::size_t begin;
  std::size_t end;
};

Line line_of(std::string_view text, Random& random) {
  const std::size_t place = place_in(text.size(), random);
  const std::size_t before = place == 0 ? std::string_view::npos : text.rfind('\n', place - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', place), text.size() - 1) + 1;
  return {std::min(begin, end), end};
}

void repeat_a_part(std::string& text, Random& random) {
  // Deeper than any reader's limit. A stated stereocentre in a chain of 2,000 atoms takes RDKit 9 s, and with 500 a fraction of one.
  constexpr std::size_t most = std::size_t{1} << 9U;
  const std::size_t begin = place_in(text.size(), random);
  const std::string part = text.substr(begin, 1 + place_in(12, random));
  const std::size_t times = std::size_t{1} << place_in(10, random);
  std::string repeated;
  for (std::size_t k = 0; k < times && repeated.size() < most; ++k) repeated += part;
  text.insert(begin, repeated);
}

void shift_a_line(std::string& text, Random& random) {
  const Line line = line_of(text, random);
  const std::size_t place = random.below(2) == 0 ? line.begin : line.begin + place_in(line.end - line.begin, random);
  if (random.below(2) == 0) {
    text.insert(place, 1 + place_in(3, random), random.below(4) == 0 ? '\t' : ' ');
  } else {
    text.erase(place, 1 + place_in(3, random));
  }
}

void swap_lines(std::string& text, Random& random) {
  Line first = line_of(text, random);
  Line second = line_of(text, random);
  if (first.begin > second.begin) std::swap(first, second);
  if (first.end > second.begin) return;
  const std::string a = text.substr(first.begin, first.end - first.begin);
  const std::string b = text.substr(second.begin, second.end - second.begin);
  text.replace(second.begin, b.size(), a);
  text.replace(first.begin, a.size(), b);
}

void change_line_ends(std::string& text, Random& random) {
  constexpr std::array<std::string_view, 4> ends = {"\r", "\r\n", "\n\r", "\x0B"};
  const std::string_view end = ends[place_in(ends.size(), random)];
  std::string changed;
  for (const char byte : text) {
    if (byte == '\n') {
      changed += end;
    } else {
      changed += byte;
    }
  }
  text = changed;
}

void replace_a_number(std::string& text, Random& random) {
  const std::size_t from = place_in(text.size(), random);
  const std::size_t begin = text.find_first_of("0123456789", from);
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
  text.replace(begin, end - begin, likely_words[place_in(likely_words.size(), random)]);
}

void change_once(std::string& text, Random& random) {
  if (text.empty()) {
    text = likely_byte(random);
    return;
  }
  const std::size_t place = place_in(text.size(), random);
  switch (random.below(14)) {
    case 0: text[place] = static_cast<char>(text[place] ^ (1 << random.below(8))); break;
    case 1: text[place] = likely_byte(random); break;
    case 2: text.insert(place, 1, likely_byte(random)); break;
    case 3: text.erase(place, 1 + place_in(8, random)); break;
    case 4: text.insert(place, likely_words[place_in(likely_words.size(), random)]); break;
    case 5:
    case 6: shift_a_line(text, random); break;
    case 7: {
      const Line line = line_of(text, random);
      text.insert(line.end, text.substr(line.begin, line.end - line.begin));
      break;
    }
    case 8: {
      const Line line = line_of(text, random);
      text.erase(line.begin, line.end - line.begin);
      break;
    }
    case 9: swap_lines(text, random); break;
    case 10: text.resize(place); break;
    case 11: change_line_ends(text, random); break;
    case 12: replace_a_number(text, random); break;
    default: repeat_a_part(text, random);
  }
}

}  // namespace

std::string mutated(std::string_view text, Random& random) {
  std::string changed(text);
  for (std::int32_t change = 0; change <= random.below(4); ++change) change_once(changed, random);
  return changed;
}

}  // namespace octile::test
