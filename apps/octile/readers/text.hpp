// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
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

/// The text with what would act on a terminal or break a line written out: control characters and bytes that are no UTF-8
/// as "\x1b", others as "\u202e". A text for one line of a message.
std::string printable(std::string_view text);

/// The text as `printable` makes it, with the middle left out if it is longer than `longest` columns.
std::string shortened(std::string_view text, std::size_t longest);

/// Text of a file for a message, printable and in single quotes. The middle is left out if it is longer than `longest` columns.
std::string in_quotes(std::string_view text, std::size_t longest = 60);

/// The number that the whole text is, with or without a sign; nothing if it is no number or not finite.
std::optional<double> finite_number(std::string_view text);

/// The text with its ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// The text without white space at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace octile::app
