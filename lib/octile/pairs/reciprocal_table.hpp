// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/launch.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/runtime_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile {

/// 1 / κ of all records, kernel.table_ids()² numbers by rows, formed where they are to be. Nothing waits.
template <class ExecutionSpace, class MemorySpace>
Array<double, MemorySpace> reciprocal_table(const ExecutionSpace& space,
                                            const RuntimeKernel<double, MemorySpace>& kernel, std::size_t ids) {
  Array<double, MemorySpace> table(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::reciprocal_table"),
                                   ids * ids);
  Kokkos::parallel_for(
      "octile::reciprocal_table",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, ids * ids),
      KOKKOS_LAMBDA(const std::size_t k) {
        const auto a = static_cast<std::uint32_t>(k / ids);
        const auto b = static_cast<std::uint32_t>(k % ids);
        // κ(a, b) and κ(b, a) may differ by rounding.
        table(k) = 1.0 / kernel.template evaluate<double>(a > b ? a : b, a > b ? b : a);
      });
  return table;
}

}  // namespace octile
