// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <gemmi/model.hpp>

namespace octile::app {

/// The structure in the text of an mmCIF file. `path` is for messages. Throws `std::runtime_error`, also for a
/// symbol that is no element, which gemmi itself would take for an unknown element.
///
/// It has a file of its own because that is compiled as C++17: in C++20 clang refuses gemmi's CIF document, which has a
/// vector of an incomplete type.
gemmi::Structure parse_mmcif(const std::string& text, const std::string& path);

}  // namespace octile::app
