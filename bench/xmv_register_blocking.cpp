// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/paper/register_blocking.hpp>

#include "xmv_dense.hpp"

namespace octile::bench {

void add_register_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  const DenseFamily<portable::RegisterBlocking> family{PrimitiveFamily::register_blocking, sizes, cases};
  family.add_widths<4, 4, 8, 16, 24>();
  family.add_widths<8, 4, 8, 16, 24>();
  family.add_widths<16, 4, 8, 16, 24>();
  family.add_widths<24, 4, 8, 16, 24>();
  family.add_labels_and_kernels();
}

}  // namespace octile::bench
