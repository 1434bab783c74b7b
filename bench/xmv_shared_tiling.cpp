// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/paper/shared_tiling.hpp>

#include "xmv_dense.hpp"

namespace octile::bench {

void add_shared_tiling(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  DenseFamily<portable::SharedTiling>{PrimitiveFamily::shared_tiling, sizes, cases}.add_any_width();
}

}  // namespace octile::bench
