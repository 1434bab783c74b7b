// SPDX-License-Identifier: BSD-3-Clause
#include "output/checksum.hpp"

#include <octile/base/parallel_join.hpp>

namespace octile::app {

PlacedChecksum checksum_of(std::span<const double> values) {
  constexpr std::size_t at_once = std::size_t(1) << 16;
  const auto of_part = [values](std::size_t begin, std::size_t end) {
    return PlacedChecksum().add(begin, values.subspan(begin, end - begin));
  };
  return joined_in_parallel(values.size(), at_once, PlacedChecksum(), of_part,
                            [](PlacedChecksum& all, const PlacedChecksum& part) { all.add(part); });
}

}  // namespace octile::app
