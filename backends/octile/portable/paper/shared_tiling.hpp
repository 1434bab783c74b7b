// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/paper/staged_tiles.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace octile::portable {

/// Section III.A: t × r tiles of both matrices, and the r × r block of x that they are multiplied with, are staged in
/// scratch. Each product reads all three from there.
template <class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class SharedTiling : public StagedTilesXmv<SharedTiling<Scalar, EdgeLabel, MemorySpace, Lanes, T, R>, Scalar, EdgeLabel,
                                           MemorySpace, Lanes, T, R> {
  using Tiles = StagedTilesXmv<SharedTiling, Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  using Base = DenseXmv<SharedTiling, Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  friend Tiles;
  friend Base;
  using typename Base::Rows;
  using typename Base::Window;
  using typename Tiles::Kept;

 public:
  using Tiles::Tiles;

 private:
  KOKKOS_INLINE_FUNCTION int step() const { return this->r(); }

  KOKKOS_INLINE_FUNCTION void take_block(Kept& kept, int lane, const Scalar* x, int m, const Window& window) const {
    Base::stage_block(kept.block, this->r(), lane, x, m, window);
  }

  template <class EdgeKernel>
  KOKKOS_INLINE_FUNCTION void multiply(const EdgeKernel& kernel, const Kept& kept, const Rows& rows, int columns,
                                       int columns_second, Scalar& sum) const {
    const int r = this->r();
    for (int j = 0; j < columns; ++j) {
      const Scalar weight = load_shared(kept.first.weights[rows.i * r + j]);
      const EdgeLabel label = load_shared(kept.first.labels[rows.i * r + j]);
      for (int l = 0; l < columns_second; ++l) {
        const Scalar weight_second = load_shared(kept.second.weights[rows.k * r + l]);
        const EdgeLabel label_second = load_shared(kept.second.labels[rows.k * r + l]);
        sum += load_shared(kept.block[j * r + l]) * weight * weight_second *
               kernel.template evaluate<Scalar>(label, label_second);
      }
    }
  }
};

}  // namespace octile::portable
