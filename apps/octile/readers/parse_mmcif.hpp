// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include <gemmi/model.hpp>

namespace octile::app {

/// The structure in the text of an mmCIF file. `path` is for messages. Throws `std::runtime_error`, also for a
/// symbol that is no element, which gemmi itself would take for an unknown element.
///
/// It has a file of its own because that is compiled as C++17: in C++20 clang refuses gemmi's CIF document, which has a
/// vector of an incomplete type.
gemmi::Structure parse_mmcif(const std::string& text, const std::string& path);

/// A crystal: all sites of a cell, which repeats along its three vectors.
struct Crystal {
  std::vector<int> atomic_number;
  std::vector<std::string> label;            ///< of the site
  std::vector<std::array<double, 3>> place;  ///< Å
  std::array<std::array<double, 3>, 3> vectors = {};
};

/// The crystal in the text of a CIF file: the first block with sites, to which its symmetry is applied: by the operations that it lists,
/// or else by the name of its space group. Throws `std::runtime_error` that says what is allowed, for a cell or an element that is
/// not known, an atom that is not there in every cell, and a space group without operations that gemmi does not know.
Crystal parse_crystal(const std::string& text, const std::string& path);

}  // namespace octile::app
