// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace octile {

/// The same policy, with a functor of up to 4 KiB sent along with the launch. Otherwise Kokkos puts functors of more than 512 bytes into
/// constant memory on CUDA, and the calling thread waits until the kernel that was there before is done.
template <class Policy>
auto without_waiting(const Policy& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

}  // namespace octile
