// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/portable/xmv/team_scratch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::portable {

/// Calls f(e, j) for each non-zero element (i, j) of row i of a graph, by rising j; e is its index in the packed
/// arrays of the set.
template <class Set, class Function>
KOKKOS_INLINE_FUNCTION void for_each_in_row(const Set& set, int graph, int i, const Function& f) {
  const std::uint32_t row = set.octile_row_begin(graph) + i / octile_size;
  for (std::uint32_t t = set.octile_begin(row); t < set.octile_begin(row + 1); ++t) {
    const OctileHead head = set.octiles(t);
    std::uint32_t bits = octile_row(head.mask, i % octile_size);
    if (bits == 0) continue;
    std::uint32_t element = head.elements + octile_rank(head.mask, octile_bit(i % octile_size, 0));
    for (; bits != 0; bits &= bits - 1, ++element) {
      f(element, static_cast<int>(head.column) * octile_size + octile_lowest(bits));
    }
  }
}

/// κe of packed elements a and b; nothing is read if edges have no labels.
template <class Scalar, class Set, class EdgeKernel>
KOKKOS_INLINE_FUNCTION Scalar edge_value(const Set& set, const EdgeKernel& kernel, std::uint32_t a, std::uint32_t b) {
  if constexpr (Set::has_edge_labels) {
    return kernel.template evaluate<Scalar>(set.edge_labels(a), set.edge_labels(b));
  } else {
    return kernel.template evaluate<Scalar>(NoLabel{}, NoLabel{});
  }
}

/// The primitive `rows`: a thread forms one y_ii'. It walks row i of G's octiles and, for each element, row i' of those
/// of G'. Nothing is staged, so threads never wait for each other. It is for sparse graphs on GPUs.
class RowsXmv {
 public:
  explicit RowsXmv(int threads) : threads_(threads) {}

  int threads() const { return threads_; }
  std::size_t scratch_bytes() const { return 0; }

  template <class Member, class System, class EdgeKernel, class Scalar>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel& kernel, const Scalar* x,
                             Scalar* y, TeamScratch) const {
    const auto& set = system.set;
    const int m = system.m;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, system.size()), [&](int k) {
      const int i = k / m;
      const int i_second = k - i * m;
      double sum = 0;  // in double, as in octiles.hpp
      for_each_in_row(set, system.first_graph, i, [&](std::uint32_t e, int j) {
        const Scalar* x_row = x + static_cast<std::size_t>(j) * static_cast<std::size_t>(m);
        double inner = 0;
        for_each_in_row(set, system.second_graph, i_second, [&](std::uint32_t e_second, int j_second) {
          inner += static_cast<double>(set.weights(e_second) * edge_value<Scalar>(set, kernel, e, e_second) *
                                       x_row[j_second]);
        });
        sum += static_cast<double>(set.weights(e)) * inner;
      });
      y[k] = static_cast<Scalar>(sum);
    });
    member.team_barrier();
  }

 private:
  int threads_;
};

}  // namespace octile::portable
