// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::app {

/// 2^53. Integers of smaller magnitude are all different as doubles. From here on neighbours become equal, and a label would
/// become another one.
inline constexpr double first_inexact_integer = 9007199254740992.0;

}  // namespace octile::app
