// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/paper/register_blocking.hpp>

#include "xmv_dense.hpp"

namespace octile::bench {

void add_register_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  const DenseFamily<portable::RegisterBlocking> family{PrimitiveFamily::register_blocking, sizes, cases};
  family.add_all_widths();
  family.add_labels_and_kernels();
}

}  // namespace octile::bench
