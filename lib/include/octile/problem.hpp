// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/stopping.hpp>

namespace octile {

/// What defines the kernel K(G, G') of a set of graphs: κv, κe and q. (The starting weights p are part of the graphs.)
struct KernelSpec {
  Expression vertex;  ///< κv, in (0, 1]
  Expression edge;    ///< κe, in [0, 1]
  Stopping stopping;  ///< q and its meaning
  /// 0: walks of any number of steps. 1: walks of at least one step, K − q² p×ᵀ κv, which needs an `Accuracy` (gram.hpp).
  int shortest_walk = 0;
};

}  // namespace octile
