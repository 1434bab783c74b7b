// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile::test {

/// Whether the sanitizers watch, under which tests take 10 times as long, or lines are counted, without optimisation. They see how memory
/// is used or what runs, and not what values are, which the build without them compares. So what runs the same code again, with other
/// numbers, is left out there.
#if defined(__SANITIZE_ADDRESS__) || defined(OCTILE_COUNTED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace octile::test
