// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace octile {

/// An order of a graph's vertices: new vertex k is old vertex `order[k]`, as `Graph::reordered` takes it.
using VertexOrder = std::vector<std::int32_t>;

}  // namespace octile
