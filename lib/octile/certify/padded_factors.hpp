// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/factored_product.hpp>

#include <Kokkos_Macros.hpp>

namespace octile {

/// How many factors an element is to have for this many, the others being 0, so that few are left over by chunks of them.
KOKKOS_INLINE_FUNCTION constexpr int padded_factors(int rank) {
  return rank < factors_together - 1 ? rank : (rank + factors_together - 1) / factors_together * factors_together;
}

}  // namespace octile
