// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace octile::app {

/// What a reader labels vertices or edges with.
struct AttributeInfo {
  std::string name;
  std::string type;    ///< as in `octile info`
  std::string values;  ///< in words
  bool of_edges = false;
  bool only_if_asked = false;  ///< for molecules, by --features
};

/// The attributes of the graphs of some formats.
struct FormatAttributes {
  std::string formats;                    ///< such as "molecules (.smi, .csv)"
  std::vector<AttributeInfo> attributes;  ///< empty: they have the names that the file gives
};

/// The attributes of all formats that this build reads.
std::vector<FormatAttributes> attributes_by_format();

}  // namespace octile::app
