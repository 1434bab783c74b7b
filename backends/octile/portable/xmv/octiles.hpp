// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/portable/xmv/team_scratch.hpp>
#include <octile/solvers/tile_choice.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::portable {

/// An octile in team scratch, in the forms that the products read:
///
///     packed     weights, labels and bits in the order of storage; element k is element `bits[k]` of the octile
///     expanded   weights, labels 64 each, element (i, j) at 8 i + j; 0 where there is none
///     begin      where row i begins among the packed elements; begin[8] is the population
template <class Scalar, class Label>
struct StagedOctile {
  static constexpr auto area = static_cast<std::size_t>(octile_area);

  Scalar weights[area];
  Label labels[area];
  Scalar expanded_weights[area];
  Label expanded_labels[area];
  std::uint32_t column;
  std::uint8_t begin[static_cast<std::size_t>(octile_size) + 1];
  std::uint8_t bits[area];

  KOKKOS_INLINE_FUNCTION int population() const { return begin[octile_size]; }

  KOKKOS_INLINE_FUNCTION void clear() { begin[octile_size] = 0; }

  /// Fills this octile from the set, each lane a part; the expanded form too if `expand`. Complete after a barrier.
  template <int Lanes, class Set>
  KOKKOS_INLINE_FUNCTION void stage(int lane, const Set& set, const OctileHead& head, bool expand) {
    if constexpr (Lanes == 1) {
      stage_alone(set, head, expand);
    } else {
      for (int b = lane; b < octile_area; b += Lanes) {
        const int rank = octile_rank(head.mask, b);
        if (octile_column_of(b) == 0) begin[octile_row_of(b)] = static_cast<std::uint8_t>(rank);
        if ((head.mask >> b) & 1U) {
          put(set, rank, b, head.elements + rank, expand);
        } else if (expand) {
          clear_element(b);
        }
      }
      if (lane == 0) begin[octile_size] = static_cast<std::uint8_t>(octile_population(head.mask));
    }
    if (lane == 0) column = head.column;
  }

 private:
  /// `stage` for one thread: it goes from bit to bit and needs no ranks. Of `begin` only the population is written.
  template <class Set>
  KOKKOS_INLINE_FUNCTION void stage_alone(const Set& set, const OctileHead& head, bool expand) {
    if (expand) {
      for (int b = 0; b < octile_area; ++b) clear_element(b);
    }
    int k = 0;
    for (OctileMask mask = head.mask; mask != 0; mask = octile_without_lowest(mask), ++k) {
      put(set, k, octile_lowest(mask), head.elements + k, expand);
    }
    begin[octile_size] = static_cast<std::uint8_t>(k);
  }

  template <class Set>
  KOKKOS_INLINE_FUNCTION void put(const Set& set, int k, int bit, std::uint32_t element, bool expand) {
    bits[k] = static_cast<std::uint8_t>(bit);
    weights[k] = set.weights(element);
    if constexpr (Set::has_edge_labels) labels[k] = set.edge_labels(element);
    if (expand) {
      expanded_weights[bit] = weights[k];
      if constexpr (Set::has_edge_labels) expanded_labels[bit] = labels[k];
    }
  }

  KOKKOS_INLINE_FUNCTION void clear_element(int bit) {
    expanded_weights[bit] = Scalar(0);
    expanded_labels[bit] = Label{};
  }
};

/// The octile primitives of the paper's sections IV.B and V.A. A team of N = Warps warps stages N octiles of each
/// graph and forms their N² products:
///
///                      octiles k' of octile rows I'0 … I'0+N−1 of G'
///                        B0      B1      B2      B3
///     octiles k of  A0   warp 0  warp 0  warp 0  warp 0     warp a keeps block (I0+a, I'0+b) of y
///     octile rows   A1   warp 1  warp 1  warp 1  warp 1     in registers until both rows of
///     I0 … I0+N−1   A2   warp 2  …                          octiles are finished
///
/// The N octiles of a graph come from N different octile rows, so no two products write the same outputs. (The paper
/// takes the next N of a list, and needs atomics.) The lanes of a warp share its block by `LaneGrid`. Results are equal
/// to the bit from run to run.
///
/// Sums are in double, of products in Scalar: a row of two hubs has tens of thousands of like terms, of which a sum in float
/// loses 1e-4, and no residual formed by the same sum shows that.
template <class Scalar, class EdgeLabel, int Lanes, int Warps>
class OctileXmv {
 public:
  static_assert(Lanes > 1 || Warps == 1);

  /// `family` is an octile family other than `rows`; `thresholds` are for `adaptive`.
  OctileXmv(PrimitiveFamily family, const AdaptiveThresholds& thresholds) : family_(family), thresholds_(thresholds) {}

  int threads() const { return Lanes * Warps; }
  std::size_t scratch_bytes() const { return TeamScratch::bytes<Staged>(std::size_t(2) * Warps); }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel& kernel, const Scalar* x,
                             Scalar* y, TeamScratch scratch) const {
    const auto& set = system.set;
    const int warp = member.team_rank() / Lanes;
    const int lane = member.team_rank() % Lanes;
    const int rows = octile_count(system.n);
    const int rows_second = octile_count(system.m);
    const std::uint32_t row_begin = set.octile_row_begin(system.first_graph);
    const std::uint32_t row_begin_second = set.octile_row_begin(system.second_graph);
    Staged* first = scratch.template take<Staged>(Warps);
    Staged* second = scratch.template take<Staged>(Warps);
    for (int I = 0; I < rows; I += Warps) {
      const int longest = longest_row(set, row_begin + I, least(Warps, rows - I));
      for (int I2 = 0; I2 < rows_second; I2 += Warps) {
        const int longest_second = longest_row(set, row_begin_second + I2, least(Warps, rows_second - I2));
        double sums[Warps][owned_first * owned_second] = {};
        // If one graph has no octiles here, skip the loop: its body would write `second` repeatedly without a barrier.
        for (int k2 = 0; k2 < longest_second && longest > 0; ++k2) {
          stage(second[warp], lane, set, row_begin_second + I2 + warp, I2 + warp < rows_second, k2);
          for (int k = 0; k < longest; ++k) {
            stage(first[warp], lane, set, row_begin + I + warp, I + warp < rows, k);
            member.team_barrier();
            const Staged& mine = first[warp];
            if (mine.population() > 0) {
              for (int b = 0; b < Warps; ++b) {
                if (second[b].population() > 0) multiply(mine, second[b], lane, system, kernel, x, sums[b]);
              }
            }
            member.team_barrier();
          }
        }
        for (int b = 0; b < Warps; ++b) write(sums[b], lane, system, I + warp, I2 + b, y);
      }
    }
    member.team_barrier();
  }

 private:
  using Staged = StagedOctile<Scalar, EdgeLabel>;
  using Grid = LaneGrid<Lanes>;
  static constexpr int owned_first = octile_size / Grid::first;
  static constexpr int owned_second = octile_size / Grid::second;

  KOKKOS_INLINE_FUNCTION static int least(int a, int b) { return a < b ? a : b; }

  /// Octiles in the longest of `count` octile rows.
  template <class Set>
  KOKKOS_INLINE_FUNCTION static int longest_row(const Set& set, std::uint32_t row, int count) {
    int longest = 0;
    for (int w = 0; w < count; ++w) {
      const int length = static_cast<int>(set.octile_begin(row + w + 1) - set.octile_begin(row + w));
      longest = length > longest ? length : longest;
    }
    return longest;
  }

  /// Stages the k-th octile of an octile row, or an empty one if there is none.
  template <class Set>
  KOKKOS_INLINE_FUNCTION void stage(Staged& tile, int lane, const Set& set, std::uint32_t row, bool there,
                                    int k) const {
    const std::uint32_t begin = there ? set.octile_begin(row) + k : 0;
    if (there && begin < set.octile_begin(row + 1)) {
      const OctileHead head = set.octiles(begin);
      tile.template stage<Lanes>(lane, set, head, may_be_dense());
    } else if (lane == 0) {
      tile.clear();
    }
  }

  /// Whether a product may take an octile as dense.
  KOKKOS_INLINE_FUNCTION bool may_be_dense() const {
    if (family_ == PrimitiveFamily::sparse_sparse) return false;
    return family_ != PrimitiveFamily::adaptive || thresholds_.sparse < octile_area;
  }

  /// sums += the product of two octiles and their block of x, in the way of the family.
  template <class System, class EdgeKernel>
  KOKKOS_INLINE_FUNCTION void multiply(const Staged& first, const Staged& second, int lane, const System& system,
                                       const EdgeKernel& kernel, const Scalar* x, double* sums) const {
    const auto [dense, dense_second] = taken_as_dense(family_, thresholds_, first.population(), second.population());
    const Operands<System> operands{first, second, lane, system, x};
    if (dense) {
      dense_second ? multiply<true, true>(operands, kernel, sums) : multiply<true, false>(operands, kernel, sums);
    } else {
      dense_second ? multiply<false, true>(operands, kernel, sums) : multiply<false, false>(operands, kernel, sums);
    }
  }

  template <class System>
  struct Operands {
    const Staged& first;
    const Staged& second;
    int lane;
    const System& system;
    const Scalar* x;
  };

  /// Calls f(number of the lane's row, column, weight, label) for the elements of the lane's rows of a tile: for all
  /// elements if Dense, else for the non-zero ones.
  template <bool Dense, int Step, int Owned, class Function>
  KOKKOS_INLINE_FUNCTION static void for_each_element(const Staged& tile, int begin, const Function& f) {
    if constexpr (Dense) {
      for (int o = 0; o < Owned; ++o) {
        for (int j = 0; j < octile_size; ++j) {
          const int bit = octile_bit(begin + o * Step, j);
          f(o, j, tile.expanded_weights[bit], tile.expanded_labels[bit]);
        }
      }
    } else if constexpr (Owned == octile_size) {
      const int population = tile.population();
      for (int k = 0; k < population; ++k) {
        f(octile_row_of(tile.bits[k]), octile_column_of(tile.bits[k]), tile.weights[k], tile.labels[k]);
      }
    } else {
      for (int o = 0; o < Owned; ++o) {
        const int row = begin + o * Step;
        for (int k = tile.begin[row]; k < tile.begin[row + 1]; ++k) {
          f(o, octile_column_of(tile.bits[k]), tile.weights[k], tile.labels[k]);
        }
      }
    }
  }

  template <bool Dense, bool DenseSecond, class System, class EdgeKernel>
  KOKKOS_INLINE_FUNCTION static void multiply(const Operands<System>& operands, const EdgeKernel& kernel,
                                              double* sums) {
    const Staged& first = operands.first;
    const Staged& second = operands.second;
    const int m = operands.system.m;
    const int column = static_cast<int>(first.column) * octile_size;
    const int column_second = static_cast<int>(second.column) * octile_size;
    // A dense octile may reach beyond the matrix. Its weights are 0 there, and the last column of x is read instead.
    const int last = operands.system.n - 1;
    const int last_second = m - 1 - column_second;
    for_each_element<Dense, Grid::first, owned_first>(
        first, operands.lane / Grid::second, [&](int f, int j, Scalar weight, const EdgeLabel& label) {
          const int row = Dense ? least(column + j, last) : column + j;
          const Scalar* x_block = operands.x + static_cast<std::size_t>(row) * m + column_second;
          double* sums_row = sums + f * owned_second;
          for_each_element<DenseSecond, Grid::second, owned_second>(
              second, operands.lane % Grid::second, [&](int s, int l, Scalar weight_second, const EdgeLabel& other) {
                sums_row[s] += static_cast<double>(weight * weight_second * value<System>(kernel, label, other) *
                                                   x_block[DenseSecond ? least(l, last_second) : l]);
              });
        });
  }

  template <class System, class EdgeKernel>
  KOKKOS_INLINE_FUNCTION static Scalar value(const EdgeKernel& kernel, const EdgeLabel& a, const EdgeLabel& b) {
    if constexpr (System::SetType::has_edge_labels) {
      return kernel.template evaluate<Scalar>(a, b);
    } else {
      return kernel.template evaluate<Scalar>(NoLabel{}, NoLabel{});
    }
  }

  /// Writes the lane's sums to block (I, I') of y.
  template <class System>
  KOKKOS_INLINE_FUNCTION static void write(const double* sums, int lane, const System& system, int I, int I2,
                                           Scalar* y) {
    for (int f = 0; f < owned_first; ++f) {
      const int i = I * octile_size + lane / Grid::second + f * Grid::first;
      for (int s = 0; s < owned_second; ++s) {
        const int k = I2 * octile_size + lane % Grid::second + s * Grid::second;
        if (i < system.n && k < system.m) {
          y[static_cast<std::size_t>(i) * system.m + k] = static_cast<Scalar>(sums[f * owned_second + s]);
        }
      }
    }
  }

  PrimitiveFamily family_;
  AdaptiveThresholds thresholds_;
};

}  // namespace octile::portable
