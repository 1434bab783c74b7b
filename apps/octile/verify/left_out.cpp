// SPDX-License-Identifier: BSD-3-Clause
#include "verify/left_out.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "readers/text.hpp"
#include "verify/pair_sample.hpp"

namespace octile::app {
namespace {

constexpr std::size_t most_named = 6;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most_named); ++k) {
    text += fmt::format("{}{}", k == 0 ? "" : ", ", names[k]);
  }
  if (names.size() > most_named) text += fmt::format(" and {} more", with_commas(names.size() - most_named));
  return text;
}

}  // namespace

void print_left_out(const LeftOut& left_out, std::span<const Graph> graphs, double budget_seconds) {
  if (!left_out.any()) return;
  fmt::print("\nleft out, to end within {:g} s (--budget SECONDS; --thorough leaves out nothing):\n", budget_seconds);
  if (!left_out.unsolved.empty()) {
    const auto size = [graphs](Pair pair) { return unknowns(graphs, pair); };
    const auto [least, most] = std::ranges::minmax(left_out.unsolved, {}, size);
    fmt::print("  {} of the sample, of n m = {} to {}\n", counted(left_out.unsolved.size(), "pair"),
               with_commas(size(least)), with_commas(size(most)));
  }
  if (left_out.unjudged > 0) fmt::print("  a judge for {}\n", counted(left_out.unjudged, "pair"));
  if (left_out.set) fmt::print("  all of the set but the graphs of these pairs, in the row of octile gram too\n");
  const auto print_rows = [](std::string_view what, const std::vector<std::string>& rows) {
    if (!rows.empty()) fmt::print("  {}{}: {}\n", what, counted(rows.size(), "row"), joined(rows));
  };
  print_rows("", left_out.rows);
  print_rows("some pairs of ", left_out.shorter);
}

}  // namespace octile::app
