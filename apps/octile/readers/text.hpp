// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace octile::app {

/// 41913 as "41,913".
std::string with_commas(std::size_t count);

/// "1 graph", "2,000 graphs". If the count is not 1, `plural` is used, by default `word` with an s.
std::string counted(std::size_t count, std::string_view word, std::string_view plural = {});

/// "0.42 s", "12 s", "3 min 20 s", "2 h 05 min".
std::string duration(double seconds);

/// A rate as "153", "1,234,567" or, below 100, "12.3".
std::string rate(double per_second);

/// Text of a file for a message, in single quotes. Control characters are shown as '?', and the middle
/// is left out if the text is longer than `longest` characters.
std::string in_quotes(std::string_view text, std::size_t longest = 60);

/// The text without white space at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace octile::app
