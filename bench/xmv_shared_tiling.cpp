// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/paper/shared_tiling.hpp>

#include "xmv_dense.hpp"

namespace octile::bench {

void add_shared_tiling(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  const DenseFamily<portable::SharedTiling> family{PrimitiveFamily::shared_tiling, sizes, cases};
  family.add_widths<4, 4, 8, 16, 24>();
  family.add_widths<8, 4, 8, 16, 24>();
  family.add_widths<16, 4, 8, 16, 24>();
  family.add_widths<24, 4, 8, 16, 24>();
  family.add_labels_and_kernels();
}

}  // namespace octile::bench
