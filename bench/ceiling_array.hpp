// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace octile::bench {

template <class T, class Memory>
using Array = Kokkos::View<T*, Kokkos::LayoutRight, Memory>;

}  // namespace octile::bench
