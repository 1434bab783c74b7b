// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/xmv/rows.hpp>
#include <octile/portable/xmv/team_scratch.hpp>

#include <KokkosSparse_spmv_team.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace octile::portable {

/// The paper's naive primitive: A× ⊙ E× of the pair is formed before the first iteration and kept as compressed
/// rows. Each value of κe is evaluated once, and then read from memory in every iteration: 2
/// operations for every 8 or 12 bytes.
template <class Scalar, class MemorySpace>
class NaiveXmv {
 public:
  /// Allocates memory for `slots` concurrent pairs, each of up to `elements` rows and `entries` non-zeros.
  template <class ExecutionSpace>
  NaiveXmv(const ExecutionSpace& space, int threads, std::size_t slots, std::size_t elements, std::size_t entries)
      : threads_(threads) {
    const auto without = [&](const std::string& name) {
      return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, name);
    };
    row_begin_ = decltype(row_begin_)(without("octile::naive_row_begin"), slots, elements + 1);
    columns_ = decltype(columns_)(without("octile::naive_columns"), slots, entries);
    values_ = decltype(values_)(without("octile::naive_values"), slots, entries);
  }

  /// Bytes a slot takes.
  static std::size_t slot_bytes(std::size_t elements, std::size_t entries) {
    return (elements + 1) * sizeof(int) + entries * (sizeof(int) + sizeof(Scalar));
  }

  int threads() const { return threads_; }
  std::size_t scratch_bytes() const { return 0; }

  /// Forms the matrix of the pair in the team's slot.
  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void prepare(const Member& member, const System& system, const EdgeKernel& kernel) const {
    const auto& set = system.set;
    const int m = system.m;
    const int slot = member.league_rank();
    int* row_begin = &row_begin_(slot, 0);
    const auto length = [&](int graph, int i) {
      int count = 0;
      for_each_in_row(set, graph, i, [&](std::uint32_t, int) { ++count; });
      return count;
    };
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, system.size()), [&](int k, int& begin, bool last) {
      if (last) row_begin[k] = begin;
      begin += length(system.first_graph, k / m) * length(system.second_graph, k % m);
      if (last && k + 1 == system.size()) row_begin[k + 1] = begin;
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, system.size()), [&](int k) {
      int entry = row_begin[k];
      for_each_in_row(set, system.first_graph, k / m, [&](std::uint32_t e, int j) {
        for_each_in_row(set, system.second_graph, k % m, [&](std::uint32_t e_second, int j_second) {
          columns_(slot, entry) = j * m + j_second;
          values_(slot, entry) = set.weights(e) * set.weights(e_second) * edge_value<Scalar>(set, kernel, e, e_second);
          ++entry;
        });
      });
    });
    member.team_barrier();
  }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel&, const Scalar* x, Scalar* y,
                             TeamScratch) const {
    if constexpr (std::is_same_v<Scalar, double>) {
      multiply_in_double(member, system.size(), x, y);
    } else {
      multiply_in_float(member, system.size(), x, y);
    }
    member.team_barrier();
  }

 private:
  /// y ← N x by Kokkos Kernels, whose team product sums in the type of the values.
  template <class Member>
  KOKKOS_FUNCTION void multiply_in_double(const Member& member, int size, const Scalar* x, Scalar* y) const {
    using Vector = Kokkos::View<const Scalar*, MemorySpace, Kokkos::MemoryUnmanaged>;
    using Result = Kokkos::View<Scalar*, MemorySpace, Kokkos::MemoryUnmanaged>;
    using Indices = Kokkos::View<const int*, MemorySpace, Kokkos::MemoryUnmanaged>;
    const int slot = member.league_rank();
    const int entries = row_begin_(slot, size);
    KokkosSparse::Experimental::team_spmv(member, Scalar(1), Vector(entries > 0 ? &values_(slot, 0) : nullptr, entries),
                                          Indices(&row_begin_(slot, 0), size + 1),
                                          Indices(entries > 0 ? &columns_(slot, 0) : nullptr, entries), Vector(x, size),
                                          Scalar(0), Result(y, size), 0);
  }

  /// y ← N x with values in float and sums in double. The row of two hubs has thousands of terms. Summed in float they
  /// would lose 1e-4 of the row, and the residual, which is formed by the same product, would not show it.
  template <class Member>
  KOKKOS_FUNCTION void multiply_in_float(const Member& member, int size, const Scalar* x, Scalar* y) const {
    const int slot = member.league_rank();
    const int* const row_begin = &row_begin_(slot, 0);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size), [&](int k) {
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, row_begin[k], row_begin[k + 1]),
          [&](int entry, double& part) {
            part += static_cast<double>(values_(slot, entry) * x[columns_(slot, entry)]);
          },
          sum);
      Kokkos::single(Kokkos::PerThread(member), [&] { y[k] = static_cast<Scalar>(sum); });
    });
  }

  template <class T>
  using Rows = Kokkos::View<T**, Kokkos::LayoutRight, MemorySpace>;

  int threads_;
  Rows<int> row_begin_;
  Rows<int> columns_;
  Rows<Scalar> values_;
};

}  // namespace octile::portable
