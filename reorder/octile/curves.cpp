// SPDX-License-Identifier: BSD-3-Clause
#include <octile/curves.hpp>

#include <octile/error.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace octile::reorder {
namespace {

/// The vertices on a grid of equal steps in all dimensions over the smallest enclosing cube.
std::vector<GridPoint> grid_points(const Pattern& pattern, const char* curve) {
  if (pattern.dimensions == 0) {
    throw Error("graph '" + pattern.name + "': the order '" + curve +
                "' follows coordinates, and there are none; allowed are real vertex attributes x and y, or x, y and z");
  }
  const auto dimensions = static_cast<std::size_t>(pattern.dimensions);
  std::array<double, 3> least{};
  double side = 0;
  for (std::size_t d = 0; d < dimensions; ++d) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const std::array<double, 3>& position : pattern.position) {
      low = std::min(low, position[d]);
      high = std::max(high, position[d]);
    }
    least[d] = low;
    side = std::max(side, high - low);
  }
  constexpr double last = (1U << curve_bits) - 1;
  std::vector<GridPoint> points;
  points.reserve(pattern.position.size());
  for (const std::array<double, 3>& position : pattern.position) {
    GridPoint& point = points.emplace_back();
    for (std::size_t d = 0; d < dimensions && side > 0; ++d) {
      point[d] = static_cast<std::uint32_t>(std::min(last, (position[d] - least[d]) / side * last));
    }
  }
  return points;
}

VertexOrder along(const Pattern& pattern, const char* curve, std::uint64_t (*key)(GridPoint, int)) {
  const std::vector<GridPoint> points = grid_points(pattern, curve);
  std::vector<std::pair<std::uint64_t, std::int32_t>> keyed;
  keyed.reserve(points.size());
  for (const GridPoint& point : points) {
    keyed.emplace_back(key(point, pattern.dimensions), static_cast<std::int32_t>(keyed.size()));
  }
  std::ranges::sort(keyed);
  VertexOrder order;
  order.reserve(keyed.size());
  for (const auto& [place, vertex] : keyed) order.push_back(vertex);
  return order;
}

}  // namespace

std::uint64_t morton_key(const GridPoint& point, int dimensions) {
  std::uint64_t key = 0;
  for (int bit = curve_bits - 1; bit >= 0; --bit) {
    for (int d = 0; d < dimensions; ++d) key = 2 * key + (point[static_cast<std::size_t>(d)] >> bit & 1U);
  }
  return key;
}

std::uint64_t hilbert_key(GridPoint point, int dimensions) {
  const auto last = static_cast<std::size_t>(dimensions) - 1;
  for (std::uint32_t half = 1U << (curve_bits - 1); half > 1; half /= 2) {
    const std::uint32_t below = half - 1;
    for (std::size_t d = 0; d <= last; ++d) {
      if ((point[d] & half) != 0) {
        point[0] ^= below;
      } else {
        const std::uint32_t differing = (point[0] ^ point[d]) & below;
        point[0] ^= differing;
        point[d] ^= differing;
      }
    }
  }
  for (std::size_t d = 1; d <= last; ++d) point[d] ^= point[d - 1];
  std::uint32_t flips = 0;
  for (std::uint32_t half = 1U << (curve_bits - 1); half > 1; half /= 2) {
    if ((point[last] & half) != 0) flips ^= half - 1;
  }
  for (std::size_t d = 0; d <= last; ++d) point[d] ^= flips;
  return morton_key(point, dimensions);
}

VertexOrder morton_order(const Pattern& pattern) {
  return along(pattern, "morton", [](GridPoint point, int dimensions) { return morton_key(point, dimensions); });
}

VertexOrder hilbert_order(const Pattern& pattern) { return along(pattern, "hilbert", hilbert_key); }

}  // namespace octile::reorder
