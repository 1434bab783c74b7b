// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <gemmi/model.hpp>

namespace octile::app {

/// The structure that the text of an mmCIF file holds. `path` is for messages. Throws `std::runtime_error`, also for a
/// symbol that is no element, which gemmi itself takes for an unknown one.
///
/// It stands alone because it is compiled as C++17: in C++20 clang refuses gemmi's document of CIF, which has a vector of
/// a type that is not complete yet.
gemmi::Structure parse_mmcif(const std::string& text, const std::string& path);

}  // namespace octile::app
