// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace octile::test {

/// Reads a file. What is wrong with what came of it, or nothing: it is read, or refused in one line that names it.
std::string fault_of_reading(const std::string& path, bool skip_invalid);

}  // namespace octile::test
