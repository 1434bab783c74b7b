// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace octile {

/// Values one after the other in one memory space.
template <class T, class MemorySpace>
using Array = Kokkos::View<T*, Kokkos::LayoutRight, MemorySpace>;

}  // namespace octile
