// SPDX-License-Identifier: BSD-3-Clause
#include "readers/spatial_adjacency.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile::app {
namespace {

/// Cubic cells at least as wide as the cutoff, so that places nearer than it are in the same cell or in adjacent cells.
///
/// A cell has a key, made of its coordinates, which count from 1:
///
///     bits 42-62  x    bits 21-41  y    bits 0-20  z
///
/// Places are sorted by key. Cells that are adjacent in z are adjacent in the list, so that three of them are one
/// range. Empty cells cost nothing.
class Cells {
 public:
  Cells(std::span<const Place> places, double cutoff) : width_(cutoff * slack) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto [low, high] = std::ranges::minmax(places, {}, [axis](const Place& place) { return place[axis]; });
      low_[axis] = low[axis];
      width_ = std::max(width_, (high[axis] - low[axis]) / most_cells);
    }
    members_.reserve(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) members_.push_back({key_of(places[k]), k});
    std::ranges::sort(members_, {}, [](const Member& member) { return std::pair(member.key, member.place); });
  }

  /// Calls `visit(a, b)` once for each pair of places that might be near.
  template <class Visit>
  void each_pair(const Visit& visit) const {
    // Half of the cells around: the next in z, and of the columns around those with a larger (x, y).
    constexpr std::array<std::int64_t, 4> columns = {y_step, x_step - y_step, x_step, x_step + y_step};
    for (std::size_t begin = 0, end = 0; begin < members_.size(); begin = end) {
      const std::int64_t key = members_[begin].key;
      end = first_from(key + 1);
      const std::size_t next = first_from(key + 2);
      for (std::size_t a = begin; a < end; ++a) {
        for (std::size_t b = a + 1; b < next; ++b) visit(members_[a].place, members_[b].place);
      }
      for (const std::int64_t column : columns) {
        const std::size_t first = first_from(key + column - 1);
        const std::size_t last = first_from(key + column + 2);
        for (std::size_t a = begin; a < end; ++a) {
          for (std::size_t b = first; b < last; ++b) visit(members_[a].place, members_[b].place);
        }
      }
    }
  }

 private:
  struct Member {
    std::int64_t key;
    std::size_t place;
  };

  // Rounding moves a place by less than 1e-9 cells. Without this slack two near places could be two cells apart.
  static constexpr double slack = 1 + 1e-8;
  static constexpr double most_cells = 1 << 20;  // on an axis; keys have one more bit, for cells beyond the ends
  static constexpr std::int64_t y_step = std::int64_t{1} << 21;
  static constexpr std::int64_t x_step = y_step * y_step;

  std::int64_t key_of(const Place& place) const {
    const auto cell = [&](std::size_t axis) {
      return static_cast<std::int64_t>((place[axis] - low_[axis]) / width_) + 1;
    };
    return cell(0) * x_step + cell(1) * y_step + cell(2);
  }

  std::size_t first_from(std::int64_t key) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(members_, key, {}, &Member::key) - members_.begin());
  }

  Place low_ = {};
  double width_;
  std::vector<Member> members_;
};

void check(std::span<const Place> places) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Written so that NaN is refused too.
      if (std::abs(places[k][axis]) <= largest_coordinate) continue;
      throw Error(fmt::format("atom {}: {} is {}; allowed is a finite number of at most {:g} Å", k + 1, "xyz"[axis],
                              places[k][axis], largest_coordinate));
    }
  }
}

}  // namespace

SpatialAdjacency spatial_adjacency(std::span<const Place> places, const SpatialRule& rule) {
  check(places);
  SpatialAdjacency adjacency;
  if (places.empty()) return adjacency;
  Cells(places, rule.cutoff).each_pair([&](std::size_t a, std::size_t b) {
    const auto [i, j] = std::minmax(a, b);
    const double x = places[i][0] - places[j][0];
    const double y = places[i][1] - places[j][1];
    const double z = places[i][2] - places[j][2];
    const double length = std::sqrt(x * x + y * y + z * z);
    if (!(length < rule.cutoff)) return;
    if (adjacency.edges.size() == most_spatial_edges) {
      throw Error(fmt::format("{} atoms have more than {} pairs nearer than {} Å; allowed is a cutoff that joins fewer",
                              places.size(), most_spatial_edges, rule.cutoff));
    }
    adjacency.edges.push_back(
        {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), std::pow(1 - length / rule.cutoff, rule.decay)});
    adjacency.lengths.push_back(length);
  });
  return adjacency;
}

}  // namespace octile::app
