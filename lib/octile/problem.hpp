// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/stopping.hpp>

namespace octile {

/// What defines the kernel K(G, G') of a set of graphs: κv, κe and q.
struct KernelSpec {
  Expression vertex;
  Expression edge;
  Stopping stopping;
};

}  // namespace octile
