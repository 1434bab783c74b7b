// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph_batch.hpp>
#include <octile/graph_pairs.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

// What a solve adds to prepared graphs, made on the device: the list of pairs, degrees and starting probabilities.
namespace octile {

/// The first thing that is found to be wrong with the kernel of a solve.
struct KernelFault {
  /// The kinds of faults, the first of which is reported.
  enum Kind : std::uint32_t {
    starting,    ///< a starting probability is not a finite number ≥ 0; at a vertex
    edge_range,  ///< κe is not in [0, 1]; at a packed element
    one_way,     ///< κe(a, b) is not κe(b, a); at a packed element
  };
  Kind kind = starting;
  std::size_t place = 0;

  /// What was allowed, such as "an edge kernel is in [0, 1]".
  static constexpr std::string_view allowed(Kind kind) {
    switch (kind) {
      case starting: return "a starting probability is a finite number >= 0";
      case edge_range: return "an edge kernel is in [0, 1]";
      case one_way: return "an edge kernel is the same both ways";
    }
    return "";
  }
};

namespace detail {

/// Writes down which pairs are to be solved: those asked for, then, where they are normalised, each graph with itself. Nothing is wrong
/// with the kernel yet.
template <class Numbered, class MemorySpace>
struct ListPairs {
  Numbered asked;
  std::size_t count;
  std::int32_t graphs;
  Kokkos::View<Pair*, MemorySpace> pairs;
  Kokkos::View<std::uint64_t*, MemorySpace> fault;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    if (k == 0) fault(0) = no_fault;
    const Pair pair = k < count ? asked.pair(k) : SelfPairs{graphs}(k - count);
    pairs(k) = are_graphs(pair, graphs) ? pair : Pair{0, 0};
  }
};

/// d_i = (Σ_j A_ij + addend) / divisor, of a whole graph by a team (see `Stopping::degrees`), and p_i where it is given.
template <class Set, class Starting>
struct MakeDegrees {
  using MemorySpace = typename Set::memory_space;

  Set set;  ///< its degrees are the sums
  Kokkos::View<double*, MemorySpace> degrees;
  Starting given;
  Kokkos::View<double*, MemorySpace> starting;
  Kokkos::View<std::uint64_t*, MemorySpace> fault;
  double divisor;
  double addend;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto g = static_cast<std::size_t>(member.league_rank());
    const std::uint32_t begin = set.vertex_begin(g);
    const std::uint32_t end = set.vertex_begin(g + 1);
    double least = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, begin, end),
        [&](std::uint32_t v, double& smallest) {
          const double degree = (set.degrees(v) + addend) / divisor;
          if (degree > 0) smallest = Kokkos::min(smallest, degree);
        },
        Kokkos::Min<double>(least));
    // Of an isolated vertex, which never moves: no more than the others have, or 1.
    if (!(least < Kokkos::Experimental::finite_max_v<double>)) least = 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, begin, end), [&](std::uint32_t v) {
      const double degree = (set.degrees(v) + addend) / divisor;
      degrees(v) = degree > 0 ? degree : least;
      if constexpr (!std::is_same_v<Starting, NotGiven>) {
        const double p = v < given.extent(0) ? static_cast<double>(given(v)) : -1.0;
        if (!(p >= 0) || !Kokkos::isfinite(p)) Kokkos::atomic_min(&fault(0), fault_key_of(KernelFault::starting, v));
        starting(v) = p;
      }
    });
  }
};

/// Holds κe of each packed element with itself, and with one other, against what is allowed. A positive semidefinite kernel that is at
/// most 1 of a label with itself is so of all.
template <class Set, class EdgeKernel>
struct CheckEdges {
  using MemorySpace = typename Set::memory_space;

  Set set;
  Kokkos::View<std::uint32_t*, MemorySpace> elements;
  EdgeKernel kernel;
  Kokkos::View<std::uint64_t*, MemorySpace> fault;

  KOKKOS_FUNCTION void operator()(const std::uint32_t e) const {
    const std::uint32_t count = elements(0);
    if (e >= count) return;
    // The golden section of 2³² strews neighbours.
    const auto other = static_cast<std::uint32_t>((std::uint64_t(e) * 2654435769U) % count);
    const double both = portable::detail::edge_value(set, kernel, e, other);
    if (!inside(portable::detail::edge_value(set, kernel, e, e)) || !inside(both)) {
      Kokkos::atomic_min(&fault(0), fault_key_of(KernelFault::edge_range, e));
    } else if (Kokkos::abs(both - portable::detail::edge_value(set, kernel, other, e)) > slack) {
      Kokkos::atomic_min(&fault(0), fault_key_of(KernelFault::one_way, e));
    }
  }

 private:
  /// A sum of rounded coefficients may pass 1 by a few units in the last place, also in a kernel that rounds to float.
  static constexpr double slack = 1e-6;
  KOKKOS_INLINE_FUNCTION static bool inside(double value) { return value >= 0 && value <= 1 + slack; }
};

}  // namespace detail
}  // namespace octile
