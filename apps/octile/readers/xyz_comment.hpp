// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace octile::app {

/// What the second line of an XYZ frame says.
struct XyzComment {
  std::string name;             ///< empty where it gives none
  std::size_t element = 0;      ///< column of the element
  std::size_t coordinates = 1;  ///< first of the three columns of the coordinates
};

/// The name is the first word, unless it has the form `key=value`, or else the value of the key `name`. The key
/// `Properties` of extended XYZ moves the columns. Throws `Error` that says what is wrong with the line.
XyzComment parse_xyz_comment(std::string_view line);

}  // namespace octile::app
