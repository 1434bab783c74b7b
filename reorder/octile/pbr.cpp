// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pbr.hpp>

#include <octile/random.hpp>
#include <octile/tile_objective.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace octile::reorder {
namespace {

/// Peeling takes a time cubic in the number of parts, so graphs of more rows of octiles than this are only halved.
constexpr std::int32_t most_peeled_rows = 32;

/// Consecutive vertices of the order, which are split into rows of octiles.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// How many rows of octiles of a part go to the left.
enum class Shape { halved, peeled };

class Recursion {
 public:
  Recursion(const Pattern& pattern, Shape shape, std::uint64_t seed, const PbrOptions& options)
      : pattern_(pattern),
        shape_(shape),
        options_(options),
        random_(seed),
        order_(natural_order(pattern.vertex_count())),
        part_of_(order_.size(), 0),
        local_(order_.size(), -1) {}

  VertexOrder run() {
    std::vector<Part> waiting{{0, order_.size()}};
    std::int32_t parts = 1;
    while (!waiting.empty()) {
      const Part part = waiting.back();
      waiting.pop_back();
      const std::int32_t rows = tile_rows(static_cast<std::int32_t>(part.end - part.begin));
      if (rows <= 1) continue;
      const std::int32_t left_rows = shape_ == Shape::halved ? (rows + 1) / 2 : 1;
      const std::size_t middle = part.begin + static_cast<std::size_t>(left_rows * octile_size);
      split(part, middle);
      for (std::size_t k = middle; k < part.end; ++k) part_of_[vertex_at(k)] = parts;
      ++parts;
      // The left part is split completely first, so that the right one's message nets are for its final parts of 8.
      waiting.push_back({middle, part.end});
      waiting.push_back({part.begin, middle});
    }
    return order_;
  }

 private:
  std::size_t vertex_at(std::size_t place) const { return static_cast<std::size_t>(order_[place]); }

  void split(const Part& part, std::size_t middle) {
    for (std::size_t k = part.begin; k < part.end; ++k)
      local_[vertex_at(k)] = static_cast<std::int32_t>(k - part.begin);
    const Hypergraph hypergraph = nets_of(part);
    for (std::size_t k = part.begin; k < part.end; ++k) local_[vertex_at(k)] = -1;
    const auto left = static_cast<std::int32_t>(middle - part.begin);
    const std::vector<std::uint8_t> side = bipartition(hypergraph, left, random_, options_.effort);
    const VertexOrder old(order_.begin() + static_cast<std::ptrdiff_t>(part.begin),
                          order_.begin() + static_cast<std::ptrdiff_t>(part.end));
    std::size_t to_left = part.begin;
    std::size_t to_right = middle;
    for (std::size_t k = 0; k < old.size(); ++k) order_[side[k] == 0 ? to_left++ : to_right++] = old[k];
  }

  /// The nets of a part, whose vertices `local_` numbers.
  Hypergraph nets_of(const Part& part) {
    Hypergraph hypergraph;
    hypergraph.vertices = static_cast<std::int32_t>(part.end - part.begin);
    add_message_nets(part, hypergraph);
    add_volume_nets(part, hypergraph);
    return hypergraph;
  }

  void add_message_nets(const Part& part, Hypergraph& hypergraph) {
    std::vector<std::pair<std::int32_t, std::int32_t>> messages;  // other part, local vertex
    for (std::size_t k = part.begin; k < part.end; ++k) {
      for (const std::int32_t neighbour : pattern_.neighbours(order_[k])) {
        const auto other = static_cast<std::size_t>(neighbour);
        if (local_[other] < 0) messages.emplace_back(part_of_[other], static_cast<std::int32_t>(k - part.begin));
      }
    }
    std::ranges::sort(messages);
    messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
    for (std::size_t k = 0; k < messages.size(); ++k) {
      hypergraph.pins.push_back(messages[k].second);
      if (k + 1 == messages.size() || messages[k + 1].first != messages[k].first) {
        hypergraph.end_net(options_.message_cost);
      }
    }
  }

  void add_volume_nets(const Part& part, Hypergraph& hypergraph) {
    for (std::size_t k = part.begin; k < part.end; ++k) {
      hypergraph.pins.push_back(static_cast<std::int32_t>(k - part.begin));
      for (const std::int32_t neighbour : pattern_.neighbours(order_[k])) {
        const std::int32_t pin = local_[static_cast<std::size_t>(neighbour)];
        if (pin >= 0) hypergraph.pins.push_back(pin);
      }
      hypergraph.end_net(options_.volume_cost);
    }
  }

  const Pattern& pattern_;
  Shape shape_;
  const PbrOptions& options_;
  Random random_;
  VertexOrder order_;
  std::vector<std::int32_t> part_of_;  // the current part of each vertex
  std::vector<std::int32_t> local_;    // number within the part that is being split, −1 outside
};

}  // namespace

VertexOrder pbr_order(const Pattern& pattern, std::uint64_t seed, const PbrOptions& options) {
  VertexOrder order = Recursion(pattern, Shape::halved, seed, options).run();
  const std::int32_t rows = tile_rows(pattern.vertex_count());
  // Two parts or less are halved and peeled in the same way.
  if (rows <= 2 || rows > most_peeled_rows) return order;
  VertexOrder peeled = Recursion(pattern, Shape::peeled, seed, options).run();
  return count_tiles(pattern, peeled).tiles < count_tiles(pattern, order).tiles ? peeled : order;
}

}  // namespace octile::reorder
