// SPDX-License-Identifier: BSD-3-Clause
#include "readers/spatial_adjacency.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

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

  /// Calls `visit(b)` for each place that might be near to one within the places' box, also for itself.
  template <class Visit>
  void each_near(const Place& place, const Visit& visit) const {
    const std::int64_t key = key_of(place);
    for (const std::int64_t x : {-x_step, std::int64_t{0}, x_step}) {
      for (const std::int64_t y : {-y_step, std::int64_t{0}, y_step}) {
        const std::size_t last = first_from(key + x + y + 2);
        for (std::size_t b = first_from(key + x + y - 1); b < last; ++b) visit(members_[b].place);
      }
    }
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

double length_between(const Place& a, const Place& b) {
  const double x = a[0] - b[0];
  const double y = a[1] - b[1];
  const double z = a[2] - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

/// The cutoffs of pairs of places.
class Cutoffs {
 public:
  Cutoffs(const SpatialRule& rule, std::span<const double> radii) : largest_(rule.cutoff) {
    if (rule.unit == CutoffUnit::angstrom) return;
    for (const double radius : radii) roots_.push_back(std::sqrt(3 * rule.cutoff * radius));
    const double root = roots_.empty() ? 1 : std::ranges::max(roots_);
    largest_ = root * root;
  }

  double of(std::size_t i, std::size_t j) const { return roots_.empty() ? largest_ : roots_[i] * roots_[j]; }
  double largest() const { return largest_; }

 private:
  std::vector<double> roots_;  ///< the product of two is the cutoff of the two; empty if all are equal
  double largest_;
};

/// Two places that are joined, i < j.
struct JoinedPair {
  std::int32_t i;
  std::int32_t j;
  double length;
  double weight;
};

/// Takes what is joined, and refuses too many.
class Collected {
 public:
  Collected(const SpatialRule& rule, const Cutoffs& cutoffs, std::size_t places)
      : rule_(rule), cutoffs_(cutoffs), places_(places) {}

  void add(std::size_t a, std::size_t b, double length) {
    const auto [i, j] = std::minmax(a, b);
    const double cutoff = cutoffs_.of(i, j);
    if (!(length < cutoff)) return;
    if (joined_.size() == most_spatial_edges) {
      throw Error(fmt::format("{} atoms have more than {} pairs nearer than {} Å; allowed is a cutoff that joins fewer",
                              places_, most_spatial_edges, cutoffs_.largest()));
    }
    joined_.push_back(
        {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), length, rule_.weight(length / cutoff)});
  }

  /// Makes one of several images of two atoms.
  void merge_images() {
    std::ranges::sort(joined_, {}, [](const JoinedPair& one) { return std::tuple(one.i, one.j, one.length); });
    std::size_t kept = 0;
    for (const JoinedPair& one : joined_) {
      if (kept == 0 || joined_[kept - 1].i != one.i || joined_[kept - 1].j != one.j) {
        joined_[kept++] = one;  // at its own place or before
      } else if (rule_.images == JoinedImages::all) {
        joined_[kept - 1].weight += one.weight;
      }
    }
    joined_.resize(kept);
  }

  SpatialAdjacency adjacency() const {
    SpatialAdjacency adjacency;
    for (const JoinedPair& one : joined_) {
      adjacency.edges.push_back({one.i, one.j, one.weight});
      adjacency.lengths.push_back(one.length);
    }
    return adjacency;
  }

 private:
  const SpatialRule& rule_;
  const Cutoffs& cutoffs_;
  std::size_t places_;
  std::vector<JoinedPair> joined_;
};

}  // namespace

SpatialAdjacency spatial_adjacency(std::span<const Place> places, const SpatialRule& rule,
                                   std::span<const double> radii, const std::optional<PeriodicCell>& cell) {
  check(places);
  if (places.empty()) return {};
  const Cutoffs cutoffs(rule, radii);
  Collected joined(rule, cutoffs, places.size());
  const bool periodic = cell && std::ranges::find(cell->periodic, true) != cell->periodic.end();
  if (!periodic || rule.images == JoinedImages::none) {
    Cells(places, cutoffs.largest()).each_pair([&](std::size_t a, std::size_t b) {
      joined.add(a, b, length_between(places[a], places[b]));
    });
    return joined.adjacency();
  }
  const Images images = images_around(places, *cell, cutoffs.largest());
  const Cells cells(images.places, cutoffs.largest());
  for (std::size_t i = 0; i < places.size(); ++i) {
    cells.each_near(images.places[i], [&](std::size_t image) {
      const auto j = static_cast<std::size_t>(images.owners[image]);
      if (i < j) joined.add(i, j, length_between(images.places[i], images.places[image]));
    });
  }
  joined.merge_images();
  return joined.adjacency();
}

}  // namespace octile::app
