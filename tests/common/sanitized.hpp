// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::test {

/// Whether the sanitizers watch, under which tests take 10 times as long. They see how memory is used and not what values are, which
/// the build without them compares. So what runs the same code again, with other numbers, is left out where they watch.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace octile::test
