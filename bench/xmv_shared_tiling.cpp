// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/paper/shared_tiling.hpp>

#include "xmv_dense.hpp"

namespace octile::bench {

void add_shared_tiling(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  const DenseFamily<portable::SharedTiling> family{PrimitiveFamily::shared_tiling, sizes, cases};
  family.add_all_widths();
  family.add_labels_and_kernels();
}

}  // namespace octile::bench
