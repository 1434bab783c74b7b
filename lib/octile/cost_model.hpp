// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile {

/// What one CG iteration of a pair costs, in arbitrary units: the same for every
/// backend, so that pairs can be put costliest first and progress be told.
///
///     c_xmv · nnz nnz' + c_vector · n m        nnz = both triangles
///
/// Ratio measured on a CPU core with a tabulated edge kernel: an edge pair costs
/// about half of what the vector work of one element does.
class CostModel {
 public:
  explicit CostModel(std::span<const Graph> graphs) {
    sizes_.reserve(graphs.size());
    for (const Graph& graph : graphs) {
      sizes_.push_back({static_cast<double>(2 * graph.edge_count()), static_cast<double>(graph.vertex_count())});
    }
  }

  double operator()(Pair pair) const {
    const Size& first = sizes_[static_cast<std::size_t>(pair.first)];
    const Size& second = sizes_[static_cast<std::size_t>(pair.second)];
    return first.elements * second.elements + 2.0 * first.vertices * second.vertices;
  }

 private:
  struct Size {
    double elements;
    double vertices;
  };
  std::vector<Size> sizes_;
};

}  // namespace octile
