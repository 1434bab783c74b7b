// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <octile/graph.hpp>
#include <octile/problem.hpp>
#include <octile/start.hpp>

#include "readers/spatial_adjacency.hpp"

namespace octile::app {

// What is allowed but is hardly meant. Each is one sentence for the user, or empty where there is nothing to say.

/// A warning for atoms that a rule has joined: that hardly any distance of neighbours is one of atoms in Å, or that
/// none are joined.
std::string unit_warning(std::span<const Graph> graphs, const SpatialRule& rule);

/// Counts what was left out of structures: the further positions of their atoms.
class PositionsLeftOut {
 public:
  void add(const std::string& path, std::size_t atoms);
  std::string warning() const;

 private:
  std::string first_;
  std::size_t files_ = 0;
  std::size_t atoms_ = 0;
};

/// That a kernel has the same value for all pairs of many of these graphs. Where walks start by weights whose sums differ, K does, too.
std::string sameness_warning(std::span<const Graph> graphs, const KernelSpec& kernel, const Start& start,
                             bool normalized);

/// Writes a warning to standard error, unless it is empty.
void warn(const std::string& warning);

}  // namespace octile::app
