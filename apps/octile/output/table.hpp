// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace octile::app {

/// Largest number of rows, and of columns, that is printed as a table.
inline constexpr std::size_t largest_table = 30;

struct TableStyle {
  bool fixed = true;  ///< `digits` are those after the point; otherwise significant ones
  int digits = 2;
  std::size_t first_number = 1;  ///< number of the first row and of the first column
};

/// Prints rows × columns `values` (row major), with number and name for rows and
/// numbers for columns. Names of columns follow below if they differ from those of the rows.
void print_table(std::span<const double> values, const std::vector<std::string>& row_names,
                 const std::vector<std::string>& column_names, const TableStyle& style);

/// Prints the `most` most and least similar pairs of different graphs by their
/// normalised value K_ij / √(K_ii K_jj), which normalising twice does not change.
void print_extreme_pairs(std::span<const double> matrix, const std::vector<std::string>& names, std::size_t most);

}  // namespace octile::app
