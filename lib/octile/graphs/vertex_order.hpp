// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile {

/// An order of a graph's vertices: new vertex k is old vertex `order[k]`, as `Graph::reordered` takes it.
using VertexOrder = std::vector<std::int32_t>;

/// The old number of new vertex `place`. An empty order keeps all vertices in their places.
inline std::size_t vertex_at(const VertexOrder& order, std::size_t place) {
  return order.empty() ? place : static_cast<std::size_t>(order[place]);
}

}  // namespace octile
