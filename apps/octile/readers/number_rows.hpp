// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace octile::app {

/// The numbers of a file that has the same number of them, separated by commas, on each line. Row k is line k + 1.
struct NumberRows {
  std::string path;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;  ///< rows × columns, row major, finite

  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

/// Reads such a file; blank lines may follow the last row. Throws `Error` that names file and line.
NumberRows read_number_rows(const std::string& path);

}  // namespace octile::app
