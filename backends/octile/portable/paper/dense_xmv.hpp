// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/paper/dense_set.hpp>
#include <octile/portable/paper/traffic.hpp>
#include <octile/portable/xmv/team_scratch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

// The dense on-the-fly XMV primitives of the paper's section III. All stream both matrices in a double loop over
// tiles. They differ in where a tile, or a chunk of its rows, is kept:
//
//                         tiles of G and G'         row chunks        block of x
//     shared tiling       scratch, t × r            -                 scratch, r × r
//     register blocking   -                         registers, r      scratch, r × r
//     tiling-blocking     scratch, t × t            registers, r      registers of the warp, t × t
//
// T and R are t and r at compile time, or 0 if they are given at run time. A warp works on a pair of graphs. Each lane
// writes the outputs of its rows (see `LaneGrid`), without atomics, so results are equal to the bit from run to run.
// Every move that the paper counts goes through traffic.hpp.
namespace octile::portable {

/// The largest t and r.
inline constexpr int largest_tile = 24;

/// The common part of the three: the matrices, the double loop over tiles, and the lanes. `Primitive` defines what is
/// kept of a tile, and how two rows are multiplied:
///
///     Kept                               the data of a lane: pieces of scratch, registers
///     step()                             columns of a tile
///     keep(scratch)                      makes a Kept and takes its scratch
///     take_first, take_second, take_block   fill it from G, from G', from x
///     multiply(kernel, kept, …, sum)     sum += row of G's tile times row of the other tile times the block of x
template <class Primitive, class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class DenseXmv {
 public:
  using Matrices = DenseMatrices<Scalar, EdgeLabel, MemorySpace>;

  DenseXmv(const Matrices& matrices, int t, int r) : matrices_(matrices), t_(t), r_(r) {}

  int threads() const { return Lanes; }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel& kernel, const Scalar* x,
                             Scalar* y, TeamScratch scratch) const {
    const auto& self = static_cast<const Primitive&>(*this);
    const int lane = member.team_rank();
    const int step = self.step();
    const int n = system.n;
    const int m = system.m;
    const Matrix first = matrix(system.first_graph, n);
    const Matrix second = matrix(system.second_graph, m);
    auto kept = self.keep(scratch);
    Scalar sums[owned_first][owned_second];
    for (int I = 0; I < n; I += t()) {
      for (int I2 = 0; I2 < m; I2 += t()) {
        const int rows = least(t(), n - I);
        const int rows_second = least(t(), m - I2);
        for (int f = 0; f < owned_first; ++f) {
          for (int s = 0; s < owned_second; ++s) sums[f][s] = Scalar(0);
        }
        for (int J = 0; J < n; J += step) {
          const int columns = least(step, n - J);
          self.take_first(kept, lane, first, {I, J, rows, columns});
          for (int J2 = 0; J2 < m; J2 += step) {
            const int columns_second = least(step, m - J2);
            self.take_second(kept, lane, second, {I2, J2, rows_second, columns_second});
            self.take_block(kept, lane, x, m, {J, J2, columns, columns_second});
            member.team_barrier();
            for (int f = 0, i = lane / Grid::second; i < rows; ++f, i += Grid::first) {
              for (int s = 0, k = lane % Grid::second; k < rows_second; ++s, k += Grid::second) {
                self.multiply(kernel, kept, Rows{f, i, s, k}, columns, columns_second, sums[f][s]);
              }
            }
            member.team_barrier();
          }
        }
        for (int f = 0, i = lane / Grid::second; i < rows; ++f, i += Grid::first) {
          for (int s = 0, k = lane % Grid::second; k < rows_second; ++s, k += Grid::second) {
            store_global(y[static_cast<std::size_t>(I + i) * m + I2 + k], sums[f][s]);
          }
        }
      }
    }
    member.team_barrier();
  }

 protected:
  using Grid = LaneGrid<Lanes>;
  static constexpr int largest_t = T > 0 ? T : largest_tile;
  static constexpr int largest_r = R > 0 ? R : largest_tile;
  /// The most rows of a tile of G, and of G', that a lane has.
  static constexpr int owned_first = (largest_t + Grid::first - 1) / Grid::first;
  static constexpr int owned_second = (largest_t + Grid::second - 1) / Grid::second;

  struct Matrix {
    const Scalar* weights;
    const EdgeLabel* labels;
    int n;
  };

  /// The position of a tile in its matrix, and its size, which is smaller at the edge.
  struct Window {
    int row;
    int column;
    int rows;
    int columns;
  };

  /// A pair of a lane's rows: its f-th row of the tile of G, which is row i there, and its s-th of G', row k.
  struct Rows {
    int f;
    int i;
    int s;
    int k;
  };

  /// A tile in scratch, with `width` elements a row.
  struct Tile {
    Scalar* weights;
    EdgeLabel* labels;
    int width;
  };

  KOKKOS_INLINE_FUNCTION int t() const { return T > 0 ? T : t_; }
  KOKKOS_INLINE_FUNCTION int r() const { return R > 0 ? R : r_; }

  KOKKOS_INLINE_FUNCTION static int least(int a, int b) { return a < b ? a : b; }

  KOKKOS_INLINE_FUNCTION Matrix matrix(int graph, int n) const {
    const std::uint64_t begin = matrices_.begin(graph);
    return {matrices_.weights.data() + begin, matrices_.labels.data() + begin, n};
  }

  static std::size_t tile_bytes(int elements) {
    return TeamScratch::bytes<Scalar>(elements) + TeamScratch::bytes<EdgeLabel>(elements);
  }

  KOKKOS_INLINE_FUNCTION static Tile take_tile(TeamScratch& scratch, int rows, int width) {
    Scalar* weights = scratch.template take<Scalar>(rows * width);
    return {weights, scratch.template take<EdgeLabel>(rows * width), width};
  }

  /// Copies a tile of a matrix to scratch, by all lanes.
  KOKKOS_INLINE_FUNCTION static void stage(const Tile& tile, int lane, const Matrix& matrix, const Window& window) {
    for (int k = lane; k < window.rows * window.columns; k += Lanes) {
      const int i = k / window.columns;
      const int j = k - i * window.columns;
      const std::size_t from = static_cast<std::size_t>(window.row + i) * matrix.n + window.column + j;
      store_shared(tile.weights[i * tile.width + j], load_global(matrix.weights[from]));
      store_shared(tile.labels[i * tile.width + j], load_global(matrix.labels[from]));
    }
  }

  /// Calls f(place in the block, element of x) for the lane's part of a block of x, which has m columns.
  template <class Function>
  KOKKOS_INLINE_FUNCTION static void for_block(int lane, const Scalar* x, int m, const Window& window, int width,
                                               const Function& f) {
    for (int k = lane; k < window.rows * window.columns; k += Lanes) {
      const int j = k / window.columns;
      const int l = k - j * window.columns;
      f(j * width + l, load_global(x[static_cast<std::size_t>(window.row + j) * m + window.column + l]));
    }
  }

  /// Copies a block of x to scratch, with `width` elements a row, by all lanes.
  KOKKOS_INLINE_FUNCTION static void stage_block(Scalar* block, int width, int lane, const Scalar* x, int m,
                                                 const Window& window) {
    for_block(lane, x, m, window, width,
              [&](int place, const Scalar& element) { store_shared(block[place], element); });
  }

  Matrices matrices_;
  int t_;
  int r_;
};

}  // namespace octile::portable
