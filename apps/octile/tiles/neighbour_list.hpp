// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "tiles/nearest.hpp"

namespace octile::app {

/// Writes the neighbours of all rows as CSV, a neighbour a line, row by row and nearest first:
///
///     row,rank,column,value,error,row_number,column_number
///
/// Rows and columns are given by name and by number, from 1; names as RFC 4180 quotes them. Numbers have all digits. `names` are
/// those of all graphs, of which the columns begin with `first_column`.
void write_neighbours(std::ostream& file, const Nearest& nearest, std::span<const std::string> names,
                      std::size_t first_column);

}  // namespace octile::app
