// SPDX-License-Identifier: BSD-3-Clause
#include "readers/number_rows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/exact_integer.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
NumberRows read_number_rows(const std::string& path) {
  NumberRows result;
  result.path = path;
  TextFile file(path);
  bool blank = false;
  for (std::string line; file.next(line);) {
    if (trimmed(line).empty()) {
      blank = true;
      continue;
    }
    if (blank) throw Error(fmt::format("{}: follows a blank line; allowed are blank lines at the end", file.place()));
    const std::size_t before = result.values.size();
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      const std::string_view word = trimmed(std::string_view(line).substr(begin, end - begin));
      const std::optional<double> value = finite_number(word);
      if (!value) {
        throw Error(fmt::format("{}: {} is no number; allowed are finite numbers, separated by commas", file.place(),
                                in_quotes(word)));
      }
      if (word.find_first_of(".eE") == std::string_view::npos && std::abs(*value) >= first_inexact_integer) {
        throw Error(fmt::format("{}: {} is too large for an integer; allowed are those below 2^53", file.place(),
                                in_quotes(word)));
      }
      result.values.push_back(*value);
      begin = end + 1;
    }
    const std::size_t count = result.values.size() - before;
    if (result.rows++ == 0) result.columns = count;
    if (count != result.columns) {
      throw Error(fmt::format("{}: has {}; allowed are {}, as in the first line", file.place(),
                              counted(count, "number"), result.columns));
    }
  }
  return result;
}

}  // namespace octile::app
