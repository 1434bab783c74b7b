// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/octile.hpp>
#include <octile/pair_system.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// On-the-fly XMV primitives of the portable backend over octiles,
//
//     y_ii' = Σ_jj' A_ij A'_i'j' κe(E_ij, E'_i'j') x_jj',
//
// the off-diagonal product of a pair's system. In both, one thread owns what it
// writes, so no atomics, and equal bits from run to run.
namespace octile::portable {

/// Owner of an element: a thread forms one y_ii', walking row i of the octiles of
/// G and, for each, row i' of those of G'. Many threads, little state: for GPUs.
struct ElementOwner {
  template <class Member, class System, class EdgeKernel, class Scalar>
  KOKKOS_FUNCTION static void apply(const Member& member, const System& system, const EdgeKernel& kernel,
                                    const Scalar* x, Scalar* y) {
    const int m = system.m;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, system.size()), [&](int k) {
      const int i = k / m;
      const int j = k - i * m;
      y[k] = element(system, kernel, x, i, j);
    });
    member.team_barrier();
  }

 private:
  template <class System, class EdgeKernel, class Scalar>
  KOKKOS_FUNCTION static Scalar element(const System& system, const EdgeKernel& kernel, const Scalar* x, int i,
                                        int i_second) {
    const auto& set = system.set;
    const std::uint32_t row = set.octile_row_begin(system.first_graph) + i / octile_size;
    const std::uint32_t row_second = set.octile_row_begin(system.second_graph) + i_second / octile_size;
    const std::uint32_t begin_second = set.octile_begin(row_second);
    const std::uint32_t end_second = set.octile_begin(row_second + 1);
    Scalar sum = 0;
    for (std::uint32_t t = set.octile_begin(row); t < set.octile_begin(row + 1); ++t) {
      const OctileHead head = set.octiles(t);
      std::uint32_t bits = octile_row(head.mask, i % octile_size);
      if (bits == 0) continue;
      std::uint32_t element_first = head.elements + octile_rank(head.mask, octile_bit(i % octile_size, 0));
      for (; bits != 0; bits &= bits - 1, ++element_first) {
        const int j = static_cast<int>(head.column) * octile_size + octile_lowest(bits);
        const Scalar* x_row = x + static_cast<std::size_t>(j) * static_cast<std::size_t>(system.m);
        Scalar inner = 0;
        for (std::uint32_t t_second = begin_second; t_second < end_second; ++t_second) {
          const OctileHead other = set.octiles(t_second);
          std::uint32_t bits_second = octile_row(other.mask, i_second % octile_size);
          if (bits_second == 0) continue;
          std::uint32_t element_second =
              other.elements + octile_rank(other.mask, octile_bit(i_second % octile_size, 0));
          for (; bits_second != 0; bits_second &= bits_second - 1, ++element_second) {
            const int j_second = static_cast<int>(other.column) * octile_size + octile_lowest(bits_second);
            inner += set.weights(element_second) * edge_value<Scalar>(set, kernel, element_first, element_second) *
                     x_row[j_second];
          }
        }
        sum += set.weights(element_first) * inner;
      }
    }
    return sum;
  }

 public:
  /// κe of packed elements a and b; nothing is read where edges have no labels.
  template <class Scalar, class Set, class EdgeKernel>
  KOKKOS_INLINE_FUNCTION static Scalar edge_value(const Set& set, const EdgeKernel& kernel, std::uint32_t a,
                                                  std::uint32_t b) {
    if constexpr (Set::has_edge_labels) {
      return kernel.template evaluate<Scalar>(set.edge_labels(a), set.edge_labels(b));
    } else {
      return kernel.template evaluate<Scalar>(NoLabel{}, NoLabel{});
    }
  }
};

/// Owner of an octile: a thread forms the 8×8 block (I, I') of y from all pairs of
/// octiles in row I of G and row I' of G', element by element of both (the
/// paper's sparse × sparse). Few threads, much reuse: for CPU cores.
///
///     octile (I, J) of G      octile (I', J') of G'      block of y           block of x
///     element (i, j)     ×    element (i', j')      →    (8I+i, 8I'+i')   ←   (8J+j, 8J'+j')
struct OctileOwner {
  template <class Member, class System, class EdgeKernel, class Scalar>
  KOKKOS_FUNCTION static void apply(const Member& member, const System& system, const EdgeKernel& kernel,
                                    const Scalar* x, Scalar* y) {
    const int rows = octile_count(system.n);
    const int rows_second = octile_count(system.m);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, rows * rows_second),
                         [&](int k) { block(system, kernel, x, y, k / rows_second, k % rows_second); });
    member.team_barrier();
  }

 private:
  /// Non-zero elements of one octile, unpacked: row and column within it.
  struct Unpacked {
    int count = 0;
    std::uint32_t first = 0;
    std::uint8_t row[static_cast<std::size_t>(octile_area)];
    std::uint8_t column[static_cast<std::size_t>(octile_area)];

    KOKKOS_INLINE_FUNCTION explicit Unpacked(const OctileHead& head) : first(head.elements) {
      for (OctileMask mask = head.mask; mask != 0; mask = octile_without_lowest(mask), ++count) {
        const int bit = octile_lowest(mask);
        row[count] = static_cast<std::uint8_t>(octile_row_of(bit));
        column[count] = static_cast<std::uint8_t>(octile_column_of(bit));
      }
    }
  };

  template <class System, class EdgeKernel, class Scalar>
  KOKKOS_FUNCTION static void block(const System& system, const EdgeKernel& kernel, const Scalar* x, Scalar* y,
                                    int block_row, int block_column) {
    const auto& set = system.set;
    const auto m = static_cast<std::size_t>(system.m);
    Scalar sums[static_cast<std::size_t>(octile_area)] = {};
    const std::uint32_t row = set.octile_row_begin(system.first_graph) + block_row;
    const std::uint32_t row_second = set.octile_row_begin(system.second_graph) + block_column;
    for (std::uint32_t t_second = set.octile_begin(row_second); t_second < set.octile_begin(row_second + 1);
         ++t_second) {
      const OctileHead head_second = set.octiles(t_second);
      const Unpacked second(head_second);
      for (std::uint32_t t = set.octile_begin(row); t < set.octile_begin(row + 1); ++t) {
        const OctileHead head = set.octiles(t);
        const Scalar* x_block = x + head.column * octile_size * m + head_second.column * octile_size;
        std::uint32_t element = head.elements;
        for (OctileMask mask = head.mask; mask != 0; mask = octile_without_lowest(mask), ++element) {
          const int bit = octile_lowest(mask);
          const Scalar* x_row = x_block + static_cast<std::size_t>(octile_column_of(bit)) * m;
          Scalar* sums_row = sums + octile_row_of(bit) * octile_size;
          const Scalar weight = set.weights(element);
          for (int k = 0; k < second.count; ++k) {
            const std::uint32_t element_second = second.first + static_cast<std::uint32_t>(k);
            sums_row[second.row[k]] += weight * set.weights(element_second) *
                                       ElementOwner::edge_value<Scalar>(set, kernel, element, element_second) *
                                       x_row[second.column[k]];
          }
        }
      }
    }
    for (int i = 0; i < octile_size && block_row * octile_size + i < system.n; ++i) {
      Scalar* y_row = y + static_cast<std::size_t>(block_row * octile_size + i) * m + block_column * octile_size;
      for (int j = 0; j < octile_size && block_column * octile_size + j < system.m; ++j) {
        y_row[j] = sums[octile_bit(i, j)];
      }
    }
  }
};

}  // namespace octile::portable
