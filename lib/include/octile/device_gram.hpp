// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace octile {

/// The most bytes of work space for a Gram matrix, unless a single pair takes more.
inline constexpr std::size_t workspace_limit = std::size_t(4) << 30;

/// A Gram matrix in the memory of the execution space that computed it.
template <class MemorySpace>
struct DeviceGram {
  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> values;  ///< N×N, exactly symmetric, not normalised
  Kokkos::View<const Pair*, MemorySpace> pairs;                     ///< costliest first
  Kokkos::View<PairResult*, MemorySpace> results;                   ///< in the order of `pairs`
};

/// Queues filling both triangles of the matrix from the results of its pairs.
template <class ExecutionSpace, class MemorySpace>
void fill_symmetric(const ExecutionSpace& space, const DeviceGram<MemorySpace>& gram) {
  Kokkos::parallel_for(
      "octile::symmetric_matrix", Kokkos::RangePolicy<ExecutionSpace>(space, 0, gram.pairs.extent(0)),
      KOKKOS_LAMBDA(const std::size_t k) {
        const Pair pair = gram.pairs(k);
        gram.values(pair.first, pair.second) = gram.results(k).value;
        gram.values(pair.second, pair.first) = gram.results(k).value;
      });
}

}  // namespace octile
