// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace octile::test {

/// Says that the current test case is skipped, and why: it lacks data, or a device. The case returns then.
void skip(const std::string& reason);

/// The exit code of a program whose test cases ended with `code`: 77, which ctest shows as skipped, where all is well because every case that
/// ran called `skip` and checked nothing.
int exit_code(int code);

}  // namespace octile::test
