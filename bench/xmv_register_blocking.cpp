// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/paper/register_blocking.hpp>

#include "xmv_dense.hpp"

namespace octile::bench {

void add_register_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  DenseFamily<portable::RegisterBlocking>{PrimitiveFamily::register_blocking, sizes, cases}.add_any_width();
}

}  // namespace octile::bench
