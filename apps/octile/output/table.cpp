// SPDX-License-Identifier: BSD-3-Clause
#include "output/table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "readers/text.hpp"

namespace octile::app {
namespace {

constexpr std::size_t widest_name = 28;

std::string short_name(const std::string& name) {
  const std::string in_marks = in_quotes(name, widest_name - 6);
  return in_marks.substr(1, in_marks.size() - 2);
}

struct Similarity {
  double value;
  std::size_t first;
  std::size_t second;

  /// Equal values are sorted by this, so that the output is stable.
  std::pair<std::size_t, std::size_t> place() const { return {first, second}; }
};

std::vector<Similarity> similarities(std::span<const double> matrix, std::size_t size) {
  std::vector<Similarity> pairs;
  pairs.reserve(size * (size - 1) / 2);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size; ++j) {
      const double scale = std::sqrt(matrix[i * size + i] * matrix[j * size + j]);
      const double value = matrix[i * size + j] / scale;
      // The value of a pair that broke down may be NaN, which cannot be sorted.
      if (std::isfinite(value)) pairs.push_back({value, i, j});
    }
  }
  return pairs;
}

}  // namespace

void print_table(std::span<const double> values, const std::vector<std::string>& row_names,
                 const std::vector<std::string>& column_names, const TableStyle& style) {
  std::vector<std::string> cells;
  std::size_t width = 3;
  for (const double value : values) {
    cells.push_back(style.fixed ? fmt::format("{:.{}f}", value, style.digits)
                                : fmt::format("{:.{}g}", value, style.digits));
    width = std::max(width, cells.back().size());
  }
  std::size_t margin = 0;
  for (const std::string& name : row_names) margin = std::max(margin, short_name(name).size());
  const std::size_t columns = column_names.size();
  fmt::print("{:>{}}", "", margin + 5);
  for (std::size_t column = 0; column < columns; ++column) fmt::print(" {:>{}}", column + style.first_number, width);
  fmt::print("\n");
  for (std::size_t row = 0; row < row_names.size(); ++row) {
    fmt::print("{:>4} {:<{}}", row + style.first_number, short_name(row_names[row]), margin);
    for (std::size_t column = 0; column < columns; ++column)
      fmt::print(" {:>{}}", cells[row * columns + column], width);
    fmt::print("\n");
  }
  if (column_names != row_names && !std::ranges::all_of(column_names, &std::string::empty)) {
    fmt::print("columns:");
    for (std::size_t column = 0; column < columns; ++column) {
      fmt::print("{} {} {}", column == 0 ? "" : ",", column + style.first_number, short_name(column_names[column]));
    }
    fmt::print("\n");
  }
}

void print_extreme_pairs(std::span<const double> matrix, const std::vector<std::string>& names, std::size_t most) {
  if (names.size() < 2) return;
  std::vector<Similarity> pairs = similarities(matrix, names.size());
  const std::size_t count = std::min(most, pairs.size());
  const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(count);
  const auto print = [&](const char* heading) {
    fmt::print("{} pairs (normalised value)\n", heading);
    for (auto pair = pairs.begin(); pair != middle; ++pair) {
      fmt::print("  {:.4f}  {} - {}\n", pair->value, printable(names[pair->first]), printable(names[pair->second]));
    }
  };
  std::ranges::partial_sort(pairs, middle, [](const Similarity& a, const Similarity& b) {
    return std::pair(-a.value, a.place()) < std::pair(-b.value, b.place());
  });
  print("most similar");
  std::ranges::partial_sort(pairs, middle, [](const Similarity& a, const Similarity& b) {
    return std::pair(a.value, a.place()) < std::pair(b.value, b.place());
  });
  print("least similar");
}

}  // namespace octile::app
