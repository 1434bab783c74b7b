// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/graph_batch.hpp>
#include <octile/graph_pairs.hpp>
#include <octile/kernel_fault.hpp>
#include <octile/pairs/system.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// What a solve adds to prepared graphs, made on the device: the list of pairs, degrees and starting probabilities.
namespace octile {

namespace detail {

/// Writes down which pairs are to be solved: those asked for, then, where they are normalised, their graphs with themselves. Nothing is
/// wrong with the kernel yet.
template <class Numbered, class MemorySpace>
struct ListPairs {
  Numbered asked;
  std::size_t count;
  std::int32_t graphs;
  Kokkos::View<Pair*, MemorySpace> pairs;
  Kokkos::View<KernelRecord, MemorySpace> fault;

  KOKKOS_INLINE_FUNCTION static Pair twice(std::int32_t graph) { return {graph, graph}; }
  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    if (k == 0) fault() = KernelRecord();
    pairs(k) = Pair{0, 0};
    const Pair pair = k < count ? asked.pair(k) : twice(asked.self(k - count, graphs));
    if (are_graphs(pair, graphs)) pairs(k) = pair;
  }
};

/// Queues `list` for `all` pairs.
template <class ExecutionSpace, class Numbered, class MemorySpace>
void list_pairs(const ExecutionSpace& space, std::size_t all, const ListPairs<Numbered, MemorySpace>& list) {
  Kokkos::parallel_for("octile::list_pairs", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, all)), list);
}

OCTILE_IN_LIBRARY template void list_pairs(const LibrarySpace&, std::size_t,
                                           const ListPairs<SymmetricPairs, LibraryMemory>&);
OCTILE_IN_LIBRARY template void list_pairs(const LibrarySpace&, std::size_t,
                                           const ListPairs<RectanglePairs, LibraryMemory>&);

/// d_i = (Σ_j A_ij + addend) / divisor, of a whole graph by a team (see `Stopping::degrees`), and p_i where it is given. The addend is
/// scaled as the weights of the graph are.
template <class MemorySpace, class Starting>
struct MakeDegrees {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  Array<double, MemorySpace> sums;             ///< of the weights of each vertex
  Kokkos::View<double*, MemorySpace> largest;  ///< weight of each graph
  Kokkos::View<double*, MemorySpace> degrees;
  Starting given;
  Kokkos::View<double*, MemorySpace> starting;
  Kokkos::View<KernelRecord, MemorySpace> fault;
  double divisor;
  double addend;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto g = static_cast<std::size_t>(member.league_rank());
    const std::uint32_t begin = vertex_begin(g);
    const std::uint32_t end = vertex_begin(g + 1);
    const double scaled = addend * weight_scale(largest(g));
    if (scaled > EdgeRules::most_scaled_stopping && scaled != addend) blame(KernelFault::stopping, g);
    double least = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, begin, end),
        [&](std::uint32_t v, double& smallest) {
          const double degree = (sums(v) + scaled) / divisor;
          if (degree > 0) smallest = Kokkos::min(smallest, degree);
        },
        Kokkos::Min<double>(least));
    // The degree of an isolated vertex, whose walk never moves: the least of its graph, or 1 where all vertices are
    // isolated.
    if (!(least < Kokkos::Experimental::finite_max_v<double>)) least = 1;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, begin, end), [&](std::uint32_t v) {
      const double degree = (sums(v) + scaled) / divisor;
      degrees(v) = degree > 0 ? degree : least;
      if (scaled > 0) Kokkos::atomic_max(&fault().reach, sums(v) / degree);
      if constexpr (!std::is_same_v<Starting, NotGiven>) {
        const double p = v < given.extent(0) ? static_cast<double>(given(v)) : -1.0;
        if (!(p >= 0) || !Kokkos::isfinite(p)) blame(KernelFault::starting, v);
        starting(v) = p;
      }
    });
  }

 private:
  KOKKOS_INLINE_FUNCTION void blame(KernelFault::Kind kind, std::size_t place) const {
    Kokkos::atomic_min(&fault().key, fault_key_of(kind, place));
  }
};

/// Queues it for `graphs` graphs.
template <class ExecutionSpace, class MemorySpace, class Starting>
void make_degrees(const ExecutionSpace& space, std::int32_t graphs, const MakeDegrees<MemorySpace, Starting>& make) {
  constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  Kokkos::parallel_for("octile::degrees",
                       without_waiting(Kokkos::TeamPolicy<ExecutionSpace>(space, graphs, on_host ? 1 : 64)), make);
}

OCTILE_IN_LIBRARY template void make_degrees(const LibrarySpace&, std::int32_t,
                                             const MakeDegrees<LibraryMemory, NotGiven>&);

/// Holds κe of each entry against what is allowed: with itself, with the one across the diagonal, and with two others. A positive
/// semidefinite kernel that is at most 1 of a label with itself is so of all. Entries of which factors are made are compared with all
/// when that is done.
template <class Prepared, class EdgeKernel>
struct EdgeChecks {
  using Set = typename Prepared::Set;
  using MemorySpace = typename Set::memory_space;

  Set set;
  typename Prepared::Rows rows;
  Kokkos::View<std::uint32_t*, MemorySpace> elements;
  EdgeKernel kernel;
  Kokkos::View<KernelRecord, MemorySpace> fault;

  /// What is wrong with κe of a packed element and another one, if anything is.
  struct Finding {
    bool found = false;
    KernelFault::Kind kind = KernelFault::edge_range;
    std::uint32_t other = 0;
    double value = 0;
  };

  KOKKOS_FUNCTION void operator()(const std::uint32_t e) const {
    if (e >= elements(0)) return;
    const Finding finding = look_at(e);
    if (finding.found) Kokkos::atomic_min(&fault().key, fault_key_of(finding.kind, e));
  }

  /// What is found first of an entry.
  KOKKOS_FUNCTION Finding look_at(std::uint32_t e) const {
    const std::uint32_t place = rows.places(e);
    const std::uint32_t across = rows.across(e);
    const double own = value(place, place);
    if (!EdgeRules::inside(own)) return {true, KernelFault::edge_range, place, own};
    const double side = value(place, across);
    if (!EdgeRules::inside(side)) return {true, KernelFault::edge_range, across, side};
    // Each edge is met twice.
    if (place < across && !EdgeRules::same(side, value(across, place))) {
      return {true, KernelFault::one_way, across, side};
    }
    if (!EdgeRules::alike(side, own)) return {true, KernelFault::unlike_sides, across, side};
    // The golden section of 2³², and its square, strew neighbours.
    for (const std::uint64_t step : {2654435769ULL, 1640531527ULL}) {
      const Finding finding = compare(place, rows.places(static_cast<std::uint32_t>((e * step) % elements(0))));
      if (finding.found) return finding;
    }
    return {};
  }

  /// Looks at two packed elements, both ways.
  KOKKOS_FUNCTION Finding compare(std::uint32_t place, std::uint32_t other) const {
    const double both = value(place, other);
    if (!EdgeRules::inside(both)) return {true, KernelFault::edge_range, other, both};
    if (!EdgeRules::same(both, value(other, place))) return {true, KernelFault::one_way, other, both};
    return {};
  }

 private:
  /// Not inlined: it is called in many places, and the code of a program is long.
  [[gnu::noinline]] KOKKOS_FUNCTION double value(std::uint32_t a, std::uint32_t b) const {
    return portable::detail::edge_value(set, kernel, a, b);
  }
};

/// Writes down where the first fault of a kernel is, if there is one. κv is looked at where a pair has no value.
template <class Prepared, class VertexKernel, class EdgeKernel>
struct DescribeFault {
  using MemorySpace = typename Prepared::Set::memory_space;

  EdgeChecks<Prepared, EdgeKernel> checks;
  VertexKernel vertex_kernel;
  const Pair* pairs;  ///< all that are solved
  Kokkos::View<double*, MemorySpace> largest;
  Kokkos::View<double*, MemorySpace> starting;
  portable::DeviceFactors<MemorySpace> factors;
  std::size_t graphs;
  std::size_t graphs_of_rows;  ///< of two sets; otherwise all

  KOKKOS_FUNCTION void operator()(const int) const {
    const std::uint64_t key = checks.fault().key;
    if (key == no_fault) return look_at_vertices(checks.fault().broken);
    const auto kind = static_cast<KernelFault::Kind>(key >> 56);
    const std::size_t place = place_of_key(key);
    KernelPlace where;
    if (kind == KernelFault::stopping) {
      where.graph = place;
      where.value = largest(place);
    } else if (kind == KernelFault::starting) {
      where.vertex = place;
      where.value = starting(place);
    } else {
      describe_entries(kind, static_cast<std::uint32_t>(place), where);
    }
    if (kind != KernelFault::stopping) {
      where.graph = holder_of(graphs, where.vertex, [this](std::size_t g) { return checks.set.vertex_begin(g); });
    }
    where.in_columns = where.graph >= graphs_of_rows;
    if (where.in_columns) {
      const std::size_t first_vertex = checks.set.vertex_begin(graphs_of_rows);
      const std::size_t first_entry = checks.rows.begin(first_vertex);
      where.graph -= graphs_of_rows;
      if (kind != KernelFault::stopping) where.vertex -= first_vertex;
      if (kind >= KernelFault::edge_range) where.entry -= first_entry;
    }
    checks.fault().where = where;
  }

 private:
  /// Looks for a value of κv that is not allowed, in a pair without a value.
  KOKKOS_FUNCTION void look_at_vertices(std::uint32_t broken) const {
    if (broken == KernelRecord().broken) return;
    const auto first = static_cast<std::size_t>(pairs[broken].first);
    const auto second = static_cast<std::size_t>(pairs[broken].second);
    const auto& begin = checks.set.vertex_begin;
    for (std::uint32_t v = begin(first); v < begin(first + 1); ++v) {
      for (std::uint32_t w = begin(second); w < begin(second + 1); ++w) {
        const double kappa =
            vertex_kernel.template evaluate<double>(checks.set.vertex_labels(v), checks.set.vertex_labels(w));
        if (!Kokkos::isnan(reciprocal_of_kappa(kappa))) continue;
        const auto columns = static_cast<std::uint32_t>(graphs_of_rows);
        KernelPlace where;
        where.in_columns = first >= graphs_of_rows;
        where.other_in_columns = second >= graphs_of_rows;
        where.graph = first - (where.in_columns ? columns : 0);
        where.other_graph = second - (where.other_in_columns ? columns : 0);
        where.vertex = v - (where.in_columns ? begin(columns) : 0);
        where.other = w - (where.other_in_columns ? begin(columns) : 0);
        where.value = kappa;
        checks.fault().where = where;
        checks.fault().key = fault_key_of(KernelFault::vertex_range, broken);
        return;
      }
    }
  }
  KOKKOS_FUNCTION void describe_entries(KernelFault::Kind kind, std::uint32_t place, KernelPlace& where) const {
    std::uint32_t entry = place;
    typename EdgeChecks<Prepared, EdgeKernel>::Finding finding;
    if (kind == KernelFault::at_pivot) {
      entry = entry_of(place);
      for (int k = 0; k < factors.used() && !finding.found; ++k) finding = checks.compare(place, factors.pivots(k));
      // Or the fault is with a pivot that was tried when factors were counted.
      for (std::uint32_t e = 0; e < checks.elements(0) && !finding.found; ++e) finding = checks.compare(place, e);
      checks.fault().key = fault_key_of(finding.kind, entry);
    } else {
      finding = checks.look_at(entry);
    }
    where.entry = entry;
    where.other = entry_of(finding.other);
    where.value = finding.value;
    const std::size_t vertices = checks.set.vertex_begin(graphs);
    where.vertex = holder_of(vertices, entry, [this](std::size_t v) { return checks.rows.begin(v); });
  }
  /// The entry that lies at a place. It is looked for, since this happens only where something is wrong.
  KOKKOS_FUNCTION std::uint32_t entry_of(std::uint32_t place) const {
    std::uint32_t entry = 0;
    while (entry + 1 < checks.elements(0) && checks.rows.places(entry) != place) ++entry;
    return entry;
  }
};

}  // namespace detail
}  // namespace octile
