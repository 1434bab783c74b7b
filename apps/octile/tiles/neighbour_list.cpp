// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/neighbour_list.hpp"

#include <ostream>

#include <fmt/format.h>

namespace octile::app {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

}  // namespace

void write_neighbours(std::ostream& file, const Nearest& nearest, std::span<const std::string> names,
                      std::size_t first_column) {
  file << "row,rank,column,value,error,row_number,column_number\n";
  for (std::size_t row = 0; row < nearest.rows(); ++row) {
    std::size_t rank = 0;
    for (const Neighbour& neighbour : nearest.of(row)) {
      file << fmt::format("{},{},{},{},{},{},{}\n", csv_field(names[row]), ++rank,
                          csv_field(names[first_column + neighbour.column]), neighbour.value, neighbour.error, row + 1,
                          neighbour.column + 1);
    }
  }
}

}  // namespace octile::app
