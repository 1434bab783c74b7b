// SPDX-License-Identifier: BSD-3-Clause
#include "output/checksum.hpp"

#include <mutex>

#include <octile/parallel.hpp>

namespace octile::app {

PlacedChecksum checksum_of(std::span<const double> values) {
  constexpr std::size_t at_once = std::size_t(1) << 16;
  PlacedChecksum sum;
  std::mutex mutex;
  in_parallel(values.size(), at_once, [&](std::size_t begin, std::size_t end) {
    const PlacedChecksum part = PlacedChecksum().add(begin, values.subspan(begin, end - begin));
    const std::lock_guard lock(mutex);
    sum.add(part);
  });
  return sum;
}

}  // namespace octile::app
