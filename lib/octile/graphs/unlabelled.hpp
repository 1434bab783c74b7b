// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile_set.hpp>

namespace octile {

/// The graphs of `set` without their labels. Both sets share their memory.
template <class Scalar, class VertexLabel, class EdgeLabel, class MemorySpace>
OctileSet<Scalar, NoLabel, NoLabel, MemorySpace> unlabelled(
    const OctileSet<Scalar, VertexLabel, EdgeLabel, MemorySpace>& set) {
  return {{set.vertex_begin, set.degrees, set.starting, {}, set.q},
          set.octile_row_begin,
          set.octile_begin,
          set.octiles,
          set.weights,
          {}};
}

}  // namespace octile
