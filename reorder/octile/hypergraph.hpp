// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile::reorder {

/// Vertices 0 … n−1 and nets over them, each with a cost and the vertices (pins) that it joins, none twice.
struct Hypergraph {
  std::int32_t vertices = 0;
  std::vector<std::size_t> net_begin{0};  ///< nets + 1
  std::vector<std::int32_t> pins;
  std::vector<std::int32_t> costs;  ///< of each net, > 0

  std::size_t net_count() const { return costs.size(); }
  std::span<const std::int32_t> net(std::size_t index) const {
    return std::span(pins).subspan(net_begin[index], net_begin[index + 1] - net_begin[index]);
  }

  /// Ends the net of the pins added since the last one. A net of fewer than two pins can never be cut, and is dropped.
  void end_net(std::int32_t cost) {
    if (pins.size() < net_begin.back() + 2) {
      pins.resize(net_begin.back());
      return;
    }
    net_begin.push_back(pins.size());
    costs.push_back(cost);
  }
};

}  // namespace octile::reorder
