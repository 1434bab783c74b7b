// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace octile {

/// `policy`, with the hint to Kokkos that a functor of up to 4 KiB is sent along with the launch. Without it Kokkos
/// puts functors of more than 512 bytes into constant memory on CUDA, and the calling thread waits until the previous
/// kernel is done.
template <class Policy>
auto without_waiting(const Policy& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace octile
