// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/tiling.hpp"

namespace octile::app {

std::size_t choose_edge(std::size_t rows, std::size_t columns, std::size_t memory) {
  constexpr std::size_t along = 16;
  constexpr std::size_t least = 32;
  constexpr std::size_t most = 2048;
  const std::size_t longer = std::max(rows, columns);
  std::size_t edge = std::min(longer, std::clamp((longer + along - 1) / along, least, most));
  const auto bytes = [&] { return std::min(edge, rows) * std::min(edge, columns) * bytes_of_place; };
  while (edge > 0 && bytes() > memory) edge /= 2;
  return edge;
}

}  // namespace octile::app
