// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/tiling.hpp"

namespace octile::app {

std::size_t choose_edge(std::size_t rows, std::size_t columns, std::size_t memory, bool on_gpu) {
  struct Range {
    std::size_t along;
    std::size_t least;
    std::size_t most;
  };
  constexpr Range of_cpu{16, 32, 2048};
  constexpr Range of_gpu{8, 1024, 4096};
  const Range range = on_gpu ? of_gpu : of_cpu;
  const std::size_t longer = std::max(rows, columns);
  std::size_t edge = std::min(longer, std::clamp((longer + range.along - 1) / range.along, range.least, range.most));
  const auto bytes = [&] { return std::min(edge, rows) * std::min(edge, columns) * bytes_of_place; };
  while (edge > 0 && bytes() > memory) edge /= 2;
  return edge;
}

}  // namespace octile::app
