// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/paper/dense_xmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace octile::portable {

/// Section III.B: every lane streams length-r chunks of its rows through registers. The r × r block of x
/// that two chunks are multiplied with is staged in scratch.
template <class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class RegisterBlocking : public DenseXmv<RegisterBlocking<Scalar, EdgeLabel, MemorySpace, Lanes, T, R>, Scalar,
                                         EdgeLabel, MemorySpace, Lanes, T, R> {
  using Base = DenseXmv<RegisterBlocking, Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  friend Base;
  using Grid = LaneGrid<Lanes>;
  using typename Base::Matrix;
  using typename Base::Rows;
  using typename Base::Window;

 public:
  using Base::Base;

  std::size_t scratch_bytes() const { return TeamScratch::bytes<Scalar>(this->r_ * this->r_); }

 private:
  /// Chunks of a lane's rows, in registers.
  template <int Owned>
  struct Chunks {
    Scalar weights[Owned][Base::largest_r];
    EdgeLabel labels[Owned][Base::largest_r];

    KOKKOS_INLINE_FUNCTION void load(const Matrix& matrix, const Window& window, int begin, int step) {
      for (int f = 0, i = begin; i < window.rows; ++f, i += step) {
        const std::size_t from = static_cast<std::size_t>(window.row + i) * matrix.n + window.column;
        for (int j = 0; j < window.columns; ++j) {
          weights[f][j] = load_global(matrix.weights[from + j]);
          labels[f][j] = load_global(matrix.labels[from + j]);
        }
      }
    }
  };

  struct Kept {
    Scalar* block;
    Chunks<Base::owned_first> first;
    Chunks<Base::owned_second> second;
  };

  KOKKOS_INLINE_FUNCTION int step() const { return this->r(); }

  KOKKOS_INLINE_FUNCTION Kept keep(TeamScratch& scratch) const {
    Kept kept;
    kept.block = scratch.template take<Scalar>(this->r() * this->r());
    return kept;
  }

  KOKKOS_INLINE_FUNCTION void take_first(Kept& kept, int lane, const Matrix& matrix, const Window& window) const {
    kept.first.load(matrix, window, lane / Grid::second, Grid::first);
  }

  KOKKOS_INLINE_FUNCTION void take_second(Kept& kept, int lane, const Matrix& matrix, const Window& window) const {
    kept.second.load(matrix, window, lane % Grid::second, Grid::second);
  }

  KOKKOS_INLINE_FUNCTION void take_block(Kept& kept, int lane, const Scalar* x, int m, const Window& window) const {
    Base::stage_block(kept.block, this->r(), lane, x, m, window);
  }

  template <class EdgeKernel>
  KOKKOS_INLINE_FUNCTION void multiply(const EdgeKernel& kernel, const Kept& kept, const Rows& rows, int columns,
                                       int columns_second, Scalar& sum) const {
    for (int j = 0; j < columns; ++j) {
      for (int l = 0; l < columns_second; ++l) {
        sum += load_shared(kept.block[j * this->r() + l]) * kept.first.weights[rows.f][j] *
               kept.second.weights[rows.s][l] *
               kernel.template evaluate<Scalar>(kept.first.labels[rows.f][j], kept.second.labels[rows.s][l]);
      }
    }
  }
};

}  // namespace octile::portable
