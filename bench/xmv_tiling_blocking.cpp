// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/paper/tiling_blocking.hpp>

#include "xmv_dense.hpp"

namespace octile::bench {

void add_tiling_blocking(std::vector<XmvCase>& cases, const XmvSizes& sizes) {
  const DenseFamily<portable::TilingBlocking> family{PrimitiveFamily::tiling_blocking, sizes, cases};
#ifdef OCTILE_BENCH_ALL_SIZES
  // r divides t.
  family.add_widths<4, 4>();
  family.add_widths<8, 4, 8>();
  family.add_widths<16, 4, 8, 16>();
  family.add_widths<24, 4, 8, 24>();
#else
  family.add_few();
#endif
  family.add_labels_and_kernels();
}

}  // namespace octile::bench
