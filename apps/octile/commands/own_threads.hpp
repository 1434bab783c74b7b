// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/kokkos_settings.hpp>
#include <octile/base/own_threads.hpp>

#include "output/failures.hpp"

namespace octile::app {

/// Threads for a command that does without Kokkos, and so needs no GPU: as many as Kokkos would have for `asked`. Throws `UsageError` for a
/// number in the environment that is none.
inline OwnThreads own_threads(int asked) {
  return OwnThreads(as_usage([asked] { return host_threads(asked); }));
}

}  // namespace octile::app
