// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>

namespace octile::bench {

/// X of a kernel of edges by the paper's count: what one pair of edges costs in a product where κe is evaluated, with three
/// products and a sum; without a κe, two products and a sum. A leaf kernel's own are in its row (leaf_kernels.hpp), an
/// exponential counting as one. convolution: as one pair of its elements, which are not counted here.
double useful_operations(const Expression& edge_kernel);

}  // namespace octile::bench
