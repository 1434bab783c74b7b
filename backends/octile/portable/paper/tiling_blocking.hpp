// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/paper/staged_tiles.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace octile::portable {

/// Section III.C: t × t tiles of both matrices are staged in scratch, and length-r chunks of their rows in registers.
/// In the paper the t × t block of x is spread over the registers of the warp and exchanged by shuffles. Kokkos has no
/// portable shuffle of any type, so here the block lies in scratch, and reading it is counted as an exchange.
template <class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class TilingBlocking : public StagedTilesXmv<TilingBlocking<Scalar, EdgeLabel, MemorySpace, Lanes, T, R>, Scalar,
                                             EdgeLabel, MemorySpace, Lanes, T, R> {
  using Tiles = StagedTilesXmv<TilingBlocking, Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  using Base = DenseXmv<TilingBlocking, Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  friend Tiles;
  friend Base;
  using typename Base::Rows;
  using typename Base::Tile;
  using typename Base::Window;
  using typename Tiles::Kept;

 public:
  using Tiles::Tiles;

 private:
  KOKKOS_INLINE_FUNCTION int step() const { return this->t(); }

  KOKKOS_INLINE_FUNCTION void take_block(Kept& kept, int lane, const Scalar* x, int m, const Window& window) const {
    Base::for_block(lane, x, m, window, this->t(),
                    [&](int place, const Scalar& element) { kept.block[place] = element; });
  }

  /// A chunk of a tile's row, in registers.
  struct Chunk {
    Scalar weights[Base::largest_r];
    EdgeLabel labels[Base::largest_r];

    KOKKOS_INLINE_FUNCTION void load(const Tile& tile, int row, int column, int length) {
      for (int j = 0; j < length; ++j) {
        weights[j] = load_shared(tile.weights[row * tile.width + column + j]);
        labels[j] = load_shared(tile.labels[row * tile.width + column + j]);
      }
    }
  };

  template <class EdgeKernel>
  KOKKOS_INLINE_FUNCTION void multiply(const EdgeKernel& kernel, const Kept& kept, const Rows& rows, int columns,
                                       int columns_second, Scalar& sum) const {
    const int t = this->t();
    const int r = this->r();
    Chunk first;
    Chunk second;
    for (int h = 0; h < columns; h += r) {
      const int length = Base::least(r, columns - h);
      first.load(kept.first, rows.i, h, length);
      for (int h2 = 0; h2 < columns_second; h2 += r) {
        const int length_second = Base::least(r, columns_second - h2);
        second.load(kept.second, rows.k, h2, length_second);
        for (int j = 0; j < length; ++j) {
          for (int l = 0; l < length_second; ++l) {
            sum += load_exchanged(kept.block[(h + j) * t + h2 + l]) * first.weights[j] * second.weights[l] *
                   kernel.template evaluate<Scalar>(first.labels[j], second.labels[l]);
          }
        }
      }
    }
  }
};

}  // namespace octile::portable
