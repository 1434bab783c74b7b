// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/parallel.hpp>
#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <vector>

namespace octile::cuda {

/// A list of pairs as it is sorted for the device, in pinned memory from which the device copies it.
struct SortedList {
  PinnedArray<Pair> pairs;
  std::vector<std::size_t> order;   ///< the k-th pair is the order[k]-th of those that were asked for
  PinnedArray<std::size_t> begins;  ///< of the solution of each
  Event copied;                     ///< the device has copied it

  /// Waits until the device has copied the list before, then takes this one, with memory for `most` pairs and up to twice as many: to
  /// free pinned memory takes long.
  void keep(const Kokkos::Cuda& space, const SortedPairs& sorted, std::size_t most) {
    constexpr std::size_t kept_at_once = std::size_t(1) << 14;
    const std::size_t count = sorted.oriented.size();
    copied.wait();
    grow(space, pairs, "pairs_on_host", std::bit_ceil(most));
    order.resize(count);
    in_parallel(count, kept_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        pairs(sorted.places[k]) = sorted.oriented[k];
        order[sorted.places[k]] = k;
      }
    });
  }

  /// Gives each pair's solution a place behind that of the one before, and returns the length of all. `unknowns(pair)` is that of one.
  template <class Unknowns>
  std::size_t place_solutions(const Kokkos::Cuda& space, std::size_t most, const Unknowns& unknowns) {
    grow(space, begins, "solution_begin_on_host", std::bit_ceil(most));
    std::size_t length = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      begins(k) = length;
      length += unknowns(pairs(k));
    }
    return length;
  }
};

}  // namespace octile::cuda
