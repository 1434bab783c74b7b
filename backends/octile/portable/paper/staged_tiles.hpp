// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/paper/dense_xmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace octile::portable {

/// A dense primitive that stages tiles of both matrices, t × step(), and a block of x, step() × step(), in scratch.
template <class Primitive, class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class StagedTilesXmv : public DenseXmv<Primitive, Scalar, EdgeLabel, MemorySpace, Lanes, T, R> {
  using Base = DenseXmv<Primitive, Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  friend Base;

 public:
  using Base::Base;

  std::size_t scratch_bytes() const {
    const int step = self().step();
    return 2 * Base::tile_bytes(this->t() * step) + TeamScratch::bytes<Scalar>(step * step);
  }

 protected:
  using typename Base::Matrix;
  using typename Base::Tile;
  using typename Base::Window;

  struct Kept {
    Tile first;
    Tile second;
    Scalar* block;
  };

 private:
  KOKKOS_INLINE_FUNCTION const Primitive& self() const { return static_cast<const Primitive&>(*this); }

  KOKKOS_INLINE_FUNCTION Kept keep(TeamScratch& scratch) const {
    const int step = self().step();
    const Tile first = Base::take_tile(scratch, this->t(), step);
    const Tile second = Base::take_tile(scratch, this->t(), step);
    return {first, second, scratch.template take<Scalar>(step * step)};
  }

  KOKKOS_INLINE_FUNCTION void take_first(Kept& kept, int lane, const Matrix& matrix, const Window& window) const {
    Base::stage(kept.first, lane, matrix, window);
  }

  KOKKOS_INLINE_FUNCTION void take_second(Kept& kept, int lane, const Matrix& matrix, const Window& window) const {
    Base::stage(kept.second, lane, matrix, window);
  }
};

}  // namespace octile::portable
