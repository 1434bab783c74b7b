// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "common/graphs.hpp"

namespace octile::test {

/// A text with one to four changes, as they befall files: bytes that flip, lines that are shifted by a column, cut, doubled or
/// swapped, the end that is missing, other line ends, numbers that are too large, and parts that are repeated until they are deep.
std::string mutated(std::string_view text, Random& random);

}  // namespace octile::test
