// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace octile::python {

/// A graph as Python holds it. It never changes, so that sets share it and its hash is counted once.
struct SharedGraph {
  std::shared_ptr<const Graph> graph;
  std::uint64_t hash = 0;  ///< of all that a kernel reads

  explicit SharedGraph(Graph made);
};

/// Whether a kernel sees the same in both: vertices, edges, weights, labels and starting weights, in the same order. Names and
/// targets do not count.
bool same_content(const SharedGraph& a, const SharedGraph& b);

/// Adds the class `Graph` to the module.
void bind_graphs(nanobind::module_& module);

}  // namespace octile::python
