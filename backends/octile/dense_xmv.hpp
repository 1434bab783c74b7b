// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/dense_set.hpp>
#include <octile/team_scratch.hpp>
#include <octile/traffic.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

// The dense on-the-fly XMV primitives of the paper's section III. All stream both matrices in a double loop of
// tiles and differ in where a tile, or a chunk of its rows, is kept meanwhile:
//
//                         tiles of G and G'         row chunks        block of x
//     shared tiling       scratch, t × r            -                 scratch, r × r
//     register blocking   -                         registers, r      scratch, r × r
//     tiling-blocking     scratch, t × t            registers, r      registers of the warp, t × t
//
// T and R are t and r at compile time, or 0: then they are given at run time. A warp works on a pair of graphs; each
// lane owns the outputs of its rows (see `LaneGrid`), so no atomics, and equal bits from run to run. Every move that
// the paper counts goes through traffic.hpp.
namespace octile::portable {

/// The largest t and r.
inline constexpr int largest_tile = 24;

template <class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class DenseXmv {
 public:
  using Matrices = DenseMatrices<Scalar, EdgeLabel, MemorySpace>;
  DenseXmv(const Matrices& matrices, int t, int r) : matrices_(matrices), t_(t), r_(r) {}

  int threads() const { return Lanes; }

 protected:
  using Grid = LaneGrid<Lanes>;
  static constexpr int largest_t = T > 0 ? T : largest_tile;
  static constexpr int largest_r = R > 0 ? R : largest_tile;
  /// Rows of a tile of G, and of G', that a lane owns at most.
  static constexpr int owned_first = (largest_t + Grid::first - 1) / Grid::first;
  static constexpr int owned_second = (largest_t + Grid::second - 1) / Grid::second;

  struct Matrix {
    const Scalar* weights;
    const EdgeLabel* labels;
    int n;
  };

  /// A tile in scratch, or a chunk in registers: `width` elements a row.
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
    const auto count = static_cast<std::size_t>(elements);
    return TeamScratch::bytes<Scalar>(count) + TeamScratch::bytes<EdgeLabel>(count);
  }

  KOKKOS_INLINE_FUNCTION static Tile take_tile(TeamScratch& scratch, int rows, int width) {
    const auto count = rows * width;
    Scalar* weights = scratch.template take<Scalar>(count);
    return {weights, scratch.template take<EdgeLabel>(count), width};
  }

  /// Elements [row, row + rows) × [column, column + columns) of a matrix to scratch, by all lanes.
  KOKKOS_INLINE_FUNCTION static void stage(int lane, const Matrix& matrix, int row, int column, int rows, int columns,
                                           const Tile& tile) {
    for (int k = lane; k < rows * columns; k += Lanes) {
      const int i = k / columns;
      const int j = k - i * columns;
      const std::size_t from = static_cast<std::size_t>(row + i) * matrix.n + static_cast<std::size_t>(column + j);
      store_shared(tile.weights[i * tile.width + j], load_global(matrix.weights[from]));
      store_shared(tile.labels[i * tile.width + j], load_global(matrix.labels[from]));
    }
  }

  /// x[row + …, column + …] to scratch, by all lanes; x has m columns.
  KOKKOS_INLINE_FUNCTION static void stage_block(int lane, const Scalar* x, int m, int row, int column, int rows,
                                                 int columns, Scalar* block, int width) {
    for (int k = lane; k < rows * columns; k += Lanes) {
      const int j = k / columns;
      const int l = k - j * columns;
      store_shared(block[j * width + l], load_global(x[static_cast<std::size_t>(row + j) * m + column + l]));
    }
  }

  /// The sums of a lane to y, of m columns: the tile at (row, column), of which rows × columns are in y.
  KOKKOS_INLINE_FUNCTION static void write(int lane, const Scalar (&sums)[owned_first][owned_second], Scalar* y, int m,
                                           int row, int column, int rows, int columns) {
    for (int f = 0, i = lane / Grid::second; i < rows; ++f, i += Grid::first) {
      for (int s = 0, k = lane % Grid::second; k < columns; ++s, k += Grid::second) {
        store_global(y[static_cast<std::size_t>(row + i) * m + column + k], sums[f][s]);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION static void clear(Scalar (&sums)[owned_first][owned_second]) {
    for (int f = 0; f < owned_first; ++f) {
      for (int s = 0; s < owned_second; ++s) sums[f][s] = Scalar(0);
    }
  }

  Matrices matrices_;
  int t_;
  int r_;
};

/// III.A: t × r tiles of both matrices and the r × r block of x that they meet are staged in scratch, and each
/// product reads all of them from there.
template <class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class SharedTiling : public DenseXmv<Scalar, EdgeLabel, MemorySpace, Lanes, T, R> {
  using Base = DenseXmv<Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  using Grid = LaneGrid<Lanes>;

 public:
  using Base::Base;

  std::size_t scratch_bytes() const {
    const int t = this->t_;
    const int r = this->r_;
    return 2 * Base::tile_bytes(t * r) + TeamScratch::bytes<Scalar>(r * r);
  }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel& kernel, const Scalar* x,
                             Scalar* y, TeamScratch scratch) const {
    const int lane = member.team_rank();
    const int t = this->t();
    const int r = this->r();
    const int n = system.n;
    const int m = system.m;
    const auto first = this->matrix(system.first_graph, n);
    const auto second = this->matrix(system.second_graph, m);
    const auto tile = Base::take_tile(scratch, t, r);
    const auto tile_second = Base::take_tile(scratch, t, r);
    Scalar* block = scratch.template take<Scalar>(r * r);
    Scalar sums[Base::owned_first][Base::owned_second];
    for (int I = 0; I < n; I += t) {
      for (int I2 = 0; I2 < m; I2 += t) {
        const int rows = Base::least(t, n - I);
        const int rows_second = Base::least(t, m - I2);
        Base::clear(sums);
        for (int J = 0; J < n; J += r) {
          const int columns = Base::least(r, n - J);
          Base::stage(lane, first, I, J, rows, columns, tile);
          for (int J2 = 0; J2 < m; J2 += r) {
            const int columns_second = Base::least(r, m - J2);
            Base::stage(lane, second, I2, J2, rows_second, columns_second, tile_second);
            Base::stage_block(lane, x, m, J, J2, columns, columns_second, block, r);
            member.team_barrier();
            for (int f = 0, i = lane / Grid::second; i < rows; ++f, i += Grid::first) {
              for (int s = 0, k = lane % Grid::second; k < rows_second; ++s, k += Grid::second) {
                for (int j = 0; j < columns; ++j) {
                  const Scalar weight = load_shared(tile.weights[i * r + j]);
                  const EdgeLabel label = load_shared(tile.labels[i * r + j]);
                  for (int l = 0; l < columns_second; ++l) {
                    const Scalar weight_second = load_shared(tile_second.weights[k * r + l]);
                    const EdgeLabel label_second = load_shared(tile_second.labels[k * r + l]);
                    sums[f][s] += load_shared(block[j * r + l]) * weight * weight_second *
                                  kernel.template evaluate<Scalar>(label, label_second);
                  }
                }
              }
            }
            member.team_barrier();
          }
        }
        Base::write(lane, sums, y, m, I, I2, rows, rows_second);
      }
    }
    member.team_barrier();
  }
};

/// III.B: every lane streams length-r chunks of the rows that it owns through its registers; the r × r block of x
/// that two chunks meet is staged in scratch.
template <class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class RegisterBlocking : public DenseXmv<Scalar, EdgeLabel, MemorySpace, Lanes, T, R> {
  using Base = DenseXmv<Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  using Grid = LaneGrid<Lanes>;

 public:
  using Base::Base;

  std::size_t scratch_bytes() const { return TeamScratch::bytes<Scalar>(this->r_ * this->r_); }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel& kernel, const Scalar* x,
                             Scalar* y, TeamScratch scratch) const {
    const int lane = member.team_rank();
    const int t = this->t();
    const int r = this->r();
    const int n = system.n;
    const int m = system.m;
    const auto first = this->matrix(system.first_graph, n);
    const auto second = this->matrix(system.second_graph, m);
    Scalar* block = scratch.template take<Scalar>(r * r);
    Chunk<Base::owned_first> chunk;
    Chunk<Base::owned_second> chunk_second;
    Scalar sums[Base::owned_first][Base::owned_second];
    for (int I = 0; I < n; I += t) {
      for (int I2 = 0; I2 < m; I2 += t) {
        const int rows = Base::least(t, n - I);
        const int rows_second = Base::least(t, m - I2);
        Base::clear(sums);
        for (int J = 0; J < n; J += r) {
          const int columns = Base::least(r, n - J);
          chunk.load(first, I, J, rows, columns, lane / Grid::second, Grid::first);
          for (int J2 = 0; J2 < m; J2 += r) {
            const int columns_second = Base::least(r, m - J2);
            chunk_second.load(second, I2, J2, rows_second, columns_second, lane % Grid::second, Grid::second);
            Base::stage_block(lane, x, m, J, J2, columns, columns_second, block, r);
            member.team_barrier();
            for (int f = 0, i = lane / Grid::second; i < rows; ++f, i += Grid::first) {
              for (int s = 0, k = lane % Grid::second; k < rows_second; ++s, k += Grid::second) {
                for (int j = 0; j < columns; ++j) {
                  for (int l = 0; l < columns_second; ++l) {
                    sums[f][s] += load_shared(block[j * r + l]) * chunk.weights[f][j] * chunk_second.weights[s][l] *
                                  kernel.template evaluate<Scalar>(chunk.labels[f][j], chunk_second.labels[s][l]);
                  }
                }
              }
            }
            member.team_barrier();
          }
        }
        Base::write(lane, sums, y, m, I, I2, rows, rows_second);
      }
    }
    member.team_barrier();
  }

 private:
  /// Chunks of the rows that a lane owns, in registers.
  template <int Rows>
  struct Chunk {
    Scalar weights[Rows][Base::largest_r];
    EdgeLabel labels[Rows][Base::largest_r];

    KOKKOS_INLINE_FUNCTION void load(const typename Base::Matrix& matrix, int row, int column, int rows, int columns,
                                     int begin, int step) {
      for (int f = 0, i = begin; i < rows; ++f, i += step) {
        const std::size_t from = static_cast<std::size_t>(row + i) * matrix.n + static_cast<std::size_t>(column);
        for (int j = 0; j < columns; ++j) {
          weights[f][j] = load_global(matrix.weights[from + j]);
          labels[f][j] = load_global(matrix.labels[from + j]);
        }
      }
    }
  };
};

/// III.C: t × t tiles of both matrices are staged in scratch, and length-r chunks of their rows in registers. The
/// t × t block of x is spread over the registers of the warp and exchanged; Kokkos has no portable shuffle of any
/// type, so here it lies in scratch, and is counted as the exchange that it stands for.
template <class Scalar, class EdgeLabel, class MemorySpace, int Lanes, int T, int R>
class TilingBlocking : public DenseXmv<Scalar, EdgeLabel, MemorySpace, Lanes, T, R> {
  using Base = DenseXmv<Scalar, EdgeLabel, MemorySpace, Lanes, T, R>;
  using Grid = LaneGrid<Lanes>;

 public:
  using Base::Base;

  std::size_t scratch_bytes() const {
    const int area = this->t_ * this->t_;
    return 2 * Base::tile_bytes(area) + TeamScratch::bytes<Scalar>(area);
  }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel& kernel, const Scalar* x,
                             Scalar* y, TeamScratch scratch) const {
    const int lane = member.team_rank();
    const int t = this->t();
    const int n = system.n;
    const int m = system.m;
    const auto first = this->matrix(system.first_graph, n);
    const auto second = this->matrix(system.second_graph, m);
    const auto tile = Base::take_tile(scratch, t, t);
    const auto tile_second = Base::take_tile(scratch, t, t);
    Scalar* block = scratch.template take<Scalar>(t * t);
    Scalar sums[Base::owned_first][Base::owned_second];
    for (int I = 0; I < n; I += t) {
      for (int I2 = 0; I2 < m; I2 += t) {
        const int rows = Base::least(t, n - I);
        const int rows_second = Base::least(t, m - I2);
        Base::clear(sums);
        for (int J = 0; J < n; J += t) {
          const int columns = Base::least(t, n - J);
          Base::stage(lane, first, I, J, rows, columns, tile);
          for (int J2 = 0; J2 < m; J2 += t) {
            const int columns_second = Base::least(t, m - J2);
            Base::stage(lane, second, I2, J2, rows_second, columns_second, tile_second);
            for (int k = lane; k < columns * columns_second; k += Lanes) {
              const int j = k / columns_second;
              const int l = k - j * columns_second;
              block[j * t + l] = load_global(x[static_cast<std::size_t>(J + j) * m + J2 + l]);
            }
            member.team_barrier();
            for (int f = 0, i = lane / Grid::second; i < rows; ++f, i += Grid::first) {
              for (int s = 0, k = lane % Grid::second; k < rows_second; ++s, k += Grid::second) {
                product(kernel, tile, i, columns, tile_second, k, columns_second, block, sums[f][s]);
              }
            }
            member.team_barrier();
          }
        }
        Base::write(lane, sums, y, m, I, I2, rows, rows_second);
      }
    }
    member.team_barrier();
  }

 private:
  /// sum += Σ over row i of one tile and row k of the other, chunk by chunk.
  template <class EdgeKernel>
  KOKKOS_INLINE_FUNCTION void product(const EdgeKernel& kernel, const typename Base::Tile& tile, int i, int columns,
                                      const typename Base::Tile& tile_second, int k, int columns_second,
                                      const Scalar* block, Scalar& sum) const {
    const int t = this->t();
    const int r = this->r();
    Scalar weights[Base::largest_r];
    EdgeLabel labels[Base::largest_r];
    Scalar weights_second[Base::largest_r];
    EdgeLabel labels_second[Base::largest_r];
    for (int h = 0; h < columns; h += r) {
      const int length = Base::least(r, columns - h);
      load_chunk(tile, i, h, length, weights, labels);
      for (int h2 = 0; h2 < columns_second; h2 += r) {
        const int length_second = Base::least(r, columns_second - h2);
        load_chunk(tile_second, k, h2, length_second, weights_second, labels_second);
        for (int j = 0; j < length; ++j) {
          for (int l = 0; l < length_second; ++l) {
            sum += load_exchanged(block[(h + j) * t + h2 + l]) * weights[j] * weights_second[l] *
                   kernel.template evaluate<Scalar>(labels[j], labels_second[l]);
          }
        }
      }
    }
  }

  KOKKOS_INLINE_FUNCTION static void load_chunk(const typename Base::Tile& tile, int row, int column, int length,
                                                Scalar* weights, EdgeLabel* labels) {
    for (int j = 0; j < length; ++j) {
      weights[j] = load_shared(tile.weights[row * tile.width + column + j]);
      labels[j] = load_shared(tile.labels[row * tile.width + column + j]);
    }
  }
};

}  // namespace octile::portable
