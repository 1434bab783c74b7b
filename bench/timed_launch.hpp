// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace octile::bench {

/// Seconds that a kernel takes, with a fence on both sides.
template <class Policy, class Kernel>
double timed_launch(const char* label, const Policy& policy, const Kernel& kernel) {
  Kokkos::fence("octile::bench::timed_launch");
  const Kokkos::Timer timer;
  Kokkos::parallel_for(label, policy, kernel);
  Kokkos::fence("octile::bench::timed_launch");
  return timer.seconds();
}

}  // namespace octile::bench
