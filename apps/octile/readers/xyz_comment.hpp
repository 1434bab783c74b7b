// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "readers/periodic_cell.hpp"

namespace octile::app {

/// The content of the second line of an XYZ frame.
struct XyzComment {
  std::string name;             ///< empty if the line gives none
  std::size_t element = 0;      ///< column of the element
  std::size_t coordinates = 1;  ///< first of the three columns of the coordinates
  std::optional<PeriodicCell> cell;
  std::map<std::string, double> targets;
};

/// Parses the line. The name is the first word; if that has the form `key=value`, the name is the value of the key
/// `name`. The key `Properties` of extended XYZ sets the columns; `Lattice`, with its three vectors, and `pbc`, along which of
/// them it repeats (all, if that is not said), set the cell. Other keys whose values are numbers are targets; NaN is one that is unknown. Throws `Error` that says what is wrong with the line.
XyzComment parse_xyz_comment(std::string_view line);

}  // namespace octile::app
