// SPDX-License-Identifier: BSD-3-Clause
#include <octile/anneal.hpp>

#include <octile/random.hpp>
#include <octile/tile_swaps.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace octile::reorder {
namespace {

/// Proposals between two temperatures.
constexpr std::int64_t block = 256;

/// −ln of random numbers: a change of cost Δ > 0 is accepted with probability exp(−Δ/T), so if Δ ≤ −T ln u.
class Thresholds {
 public:
  Thresholds() {
    for (std::size_t k = 0; k < size; ++k) {
      values_[k] = static_cast<float>(-std::log((static_cast<double>(k) + 0.5) / static_cast<double>(size)));
    }
  }
  float draw(Random& random) const { return values_[random.next() % size]; }

 private:
  static constexpr std::size_t size = 4096;
  std::array<float, size> values_{};
};

/// Draws pairs of vertices from different rows of octiles.
class Proposals {
 public:
  Proposals(const Pattern& pattern, const TileSwaps& state) : pattern_(pattern), state_(state) {}

  struct Swap {
    std::int32_t u;
    std::int32_t v;
  };

  std::optional<Swap> draw(Random& random) const {
    const std::int32_t n = pattern_.vertex_count();
    const std::int32_t u = random.below(n);
    std::int32_t v = 0;
    const auto neighbours = pattern_.neighbours(u);
    // One proposal in eight is between any two vertices, so that every order can be reached.
    if (neighbours.empty() || random.below(8) == 0) {
      v = random.below(n);
      if (state_.row_of(u) == state_.row_of(v)) return std::nullopt;
    } else {
      // To the row of a neighbour, or to that of a neighbour's neighbour: two vertices that share neighbours share tiles.
      std::int32_t towards = any_of(neighbours, random);
      if (random.below(2) == 0) towards = any_of(pattern_.neighbours(towards), random);
      const std::int32_t row = state_.row_of(towards);
      if (row == state_.row_of(u)) return std::nullopt;
      const std::int32_t place = row * octile_size + random.below(tile_row_size(row, n));
      v = state_.order()[static_cast<std::size_t>(place)];
    }
    return Swap{u, v};
  }

 private:
  static std::int32_t any_of(std::span<const std::int32_t> vertices, Random& random) {
    return vertices[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(vertices.size())))];
  }

  const Pattern& pattern_;
  const TileSwaps& state_;
};

}  // namespace

VertexOrder anneal_order(const Pattern& pattern, std::span<const std::int32_t> start, std::uint64_t seed,
                         const AnnealOptions& options) {
  static const Thresholds thresholds;
  Random random(seed);
  TileSwaps state(pattern, options.cost);
  state.assign(start);
  const Proposals proposals(pattern, state);
  const std::int64_t count = options.proposals_per_vertex * pattern.vertex_count();
  const double cooling = std::pow(options.last_temperature / options.first_temperature,
                                  static_cast<double>(block) / static_cast<double>(std::max(count, block)));
  double temperature = options.first_temperature * options.cost(1);

  VertexOrder best(start.begin(), start.end());
  std::int64_t fewest = state.tiles();
  std::int64_t cost = 0;  // relative to the start
  std::int64_t best_cost = 0;
  const std::int64_t bound = fewest_tiles(pattern);
  for (std::int64_t k = 0; k < count && fewest > bound; ++k) {
    if (k % block == block - 1) temperature *= cooling;
    const std::optional<Proposals::Swap> swap = proposals.draw(random);
    if (!swap) continue;
    const std::int32_t change = state.cost_change(swap->u, swap->v);
    if (change > 0 && static_cast<double>(change) > temperature * static_cast<double>(thresholds.draw(random)))
      continue;
    state.swap(swap->u, swap->v);
    cost += change;
    if (state.tiles() < fewest || (state.tiles() == fewest && cost < best_cost)) {
      fewest = state.tiles();
      best_cost = cost;
      best = state.order();
    }
  }
  return best;
}

}  // namespace octile::reorder
