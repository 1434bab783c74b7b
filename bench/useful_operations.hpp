// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>

namespace octile::bench {

/// X of an edge kernel by the paper's count: the operations of one pair of edges in a product, which are those of κe,
/// three products and a sum; without κe, two products and a sum. delta: 1. gaussian: 4, of which the exponential is
/// one. wendland, of degree k: 2 for its argument, 1 for 1 − ρ, ℓ + k products, 4 k for the polynomial. convolution:
/// those of one pair of elements, whatever their number.
double useful_operations(const Expression& edge_kernel);

}  // namespace octile::bench
