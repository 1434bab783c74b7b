// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/certify/padded_factors.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/kernel_fault.hpp>
#include <octile/portable/iterate/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace octile::portable {

/// An edge kernel as a short sum of products over the packed elements of a set, formed where they lie (see `Factors`):
///
///     κe(e, e') ≈ Σ_k φ_k(e) φ_k(e'),   k < rank,       by pivoted Cholesky with one kernel launch for each k
///
/// Nothing is copied back to the host: how many factors are used and whether they suffice is decided on the device.
template <class MemorySpace>
struct DeviceFactors {
  using Pivot = Kokkos::ValLocScalar<double, std::uint32_t>;

  Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace> phi;  ///< room for rank × elements
  Kokkos::View<double*, MemorySpace> left;                       ///< the remaining diagonal, by element
  Kokkos::View<std::uint32_t*, MemorySpace> pivots;  ///< the element of which each factor that is not 0 was made
  /// The largest of `left`, and its index. Double-buffered: one is read while the other is being found.
  Kokkos::View<Pivot, MemorySpace> pivot;
  Kokkos::View<Pivot, MemorySpace> next_pivot;
  Kokkos::View<double, MemorySpace> reach;    ///< ρ, the largest Σ_j A_ij / d_i
  Kokkos::View<int, MemorySpace> used;        ///< factors that are not 0
  Kokkos::View<int, MemorySpace> few;         ///< of these, the first ones that leave K four digits
  Kokkos::View<int, MemorySpace> indefinite;  ///< not 0: κe is not positive semidefinite on these elements

  /// Room for so many factors of so many elements; grows only. Throws what Kokkos throws, and is then as it was.
  template <class ExecutionSpace>
  void reserve(const ExecutionSpace& space, std::size_t elements, std::size_t most);

  int rank = 0;  ///< factors that are formed, at most

  /// The factor a of `Amplification` for κ ≤ 1: errors of up to ε in κe change K relatively by at most a ε / (1 − a ε).
  KOKKOS_INLINE_FUNCTION double amplification() const {
    const double square = reach() * reach();
    return square < 1 ? square / (1 - square) : Kokkos::Experimental::infinity_v<double>;
  }
  /// The largest remaining diagonal for which no more factors are taken: K's relative error is at most `relative_error` then, or that of
  /// rounding if it is larger.
  KOKKOS_INLINE_FUNCTION double allowed(double relative_error) const {
    return Kokkos::max(error_for(relative_error) - rounding(), rounding());
  }
  /// Whether the factors are exact enough for that relative error of K.
  KOKKOS_INLINE_FUNCTION bool suffice(double relative_error) const {
    return rank > 0 && indefinite() == 0 && kernel_error() <= error_for(relative_error);
  }
  /// The bound of K's relative error by what the factors leave, by their rounding, and by that of A_ij φ_k to numbers of this unit
  /// roundoff. Σ_k |φ_k φ'_k| is at most 1.
  KOKKOS_INLINE_FUNCTION double relative_error(double unit) const {
    const double grown = amplification() * (kernel_error() + 3 * unit);
    return grown < 1 ? grown / (1 - grown) : Kokkos::Experimental::infinity_v<double>;
  }

 private:
  /// What the factors leave of κe.
  KOKKOS_INLINE_FUNCTION double kernel_error() const { return Kokkos::max(pivot().val, 0.0) + rounding(); }
  /// How much that may be for a relative error of K.
  KOKKOS_INLINE_FUNCTION double error_for(double relative_error) const {
    return relative_error / (amplification() * (1 + relative_error));
  }
  /// What a diagonal of 1 may be off after as many subtractions.
  KOKKOS_INLINE_FUNCTION double rounding() const {
    return 4 * static_cast<double>(rank + 1) * Kokkos::Experimental::epsilon_v<double>;
  }
};

template <class MemorySpace>
template <class ExecutionSpace>
void DeviceFactors<MemorySpace>::reserve(const ExecutionSpace& space, std::size_t elements, std::size_t most) {
  DeviceFactors grown = *this;
  const auto uninitialised = [&space](const char* name) {
    return Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string("octile::") + name);
  };
  if (most > phi.extent(0) || elements > phi.extent(1)) {
    const std::size_t rows = std::max<std::size_t>(most, phi.extent(0));
    grown.phi = decltype(phi)(uninitialised("device_factors"), rows, std::max<std::size_t>(elements, phi.extent(1)));
    grown.pivots = decltype(pivots)(uninitialised("pivots"), rows);
  }
  if (elements > left.extent(0)) grown.left = decltype(left)(uninitialised("diagonal_left"), elements);
  if (!pivot.is_allocated()) {
    grown.pivot = decltype(pivot)(Kokkos::view_alloc(space, "octile::pivot"));
    grown.next_pivot = decltype(pivot)(Kokkos::view_alloc(space, "octile::next_pivot"));
    grown.reach = decltype(reach)(Kokkos::view_alloc(space, "octile::reach"));
    grown.used = decltype(used)(Kokkos::view_alloc(space, "octile::factors_used"));
    grown.few = decltype(few)(Kokkos::view_alloc(space, "octile::factors_few"));
    grown.indefinite = decltype(indefinite)(Kokkos::view_alloc(space, "octile::indefinite"));
  }
  *this = grown;
}

namespace detail {

/// κe of two packed elements of a set, in double.
template <class Set, class EdgeKernel>
KOKKOS_INLINE_FUNCTION double edge_value(const Set& set, const EdgeKernel& kernel, std::uint32_t a, std::uint32_t b) {
  if constexpr (Set::has_edge_labels) {
    return kernel.template evaluate<double>(set.edge_labels(a), set.edge_labels(b));
  } else {
    return kernel.template evaluate<double>(NoLabel(), NoLabel());
  }
}

/// Forms one factor: φ_k of every element, the remaining diagonal, and its largest entry. k = −1 forms the diagonal itself.
template <class Set, class EdgeKernel>
struct FormFactor {
  using MemorySpace = typename Set::memory_space;
  using Pivot = typename DeviceFactors<MemorySpace>::Pivot;

  Set set;
  Kokkos::View<std::uint32_t*, MemorySpace> elements;
  EdgeKernel kernel;
  DeviceFactors<MemorySpace> factors;
  double relative_error;
  int k;
  Kokkos::View<octile::detail::KernelRecord, MemorySpace> fault;

  /// Elements of one call, whose sums a CPU forms by vectors.
  static constexpr std::uint32_t block = fine_grained<MemorySpace> ? 1 : 64;
  static std::uint32_t blocks(std::size_t elements) {
    return static_cast<std::uint32_t>((elements + block - 1) / block);
  }

  KOKKOS_FUNCTION void operator()(const std::uint32_t number, Pivot& largest) const {
    const std::uint32_t begin = number * block;
    if (begin >= elements(0)) return;
    const std::uint32_t end = Kokkos::min(begin + block, elements(0));
    if (k < 0) {
      if (begin == 0) factors.used() = factors.few() = factors.indefinite() = 0;
      for (std::uint32_t e = begin; e < end; ++e) factors.left(e) = edge_value(set, kernel, e, e);
    } else {
      form(begin, end);
    }
    for (std::uint32_t e = begin; e < end; ++e) {
      const double left = factors.left(e);
      if (left > largest.val) {
        largest.val = left;
        largest.loc = e;
      }
    }
  }

 private:
  /// Factor k of these elements, if it is needed.
  KOKKOS_INLINE_FUNCTION void form(std::uint32_t begin, std::uint32_t end) const {
    const Pivot pivot = factors.pivot();
    const double allowed = factors.allowed(relative_error);
    if (!(pivot.val > allowed)) return;
    double phi[block];
    evaluate(pivot.loc, begin, end, phi);
    for (std::uint32_t e = begin; e < end; ++e) look_at(e, pivot.loc, phi[e - begin]);
    for (int j = 0; j < k; ++j) {
      const double at_pivot = factors.phi(j, pivot.loc);
      const double* const others = &factors.phi(j, begin);
      for (std::uint32_t e = 0; e < end - begin; ++e) phi[e] -= at_pivot * others[e];
    }
    const double root = Kokkos::sqrt(pivot.val);
    for (std::uint32_t e = begin; e < end; ++e) {
      const double value = phi[e - begin] / root;
      const double left = e == pivot.loc ? 0 : factors.left(e) - value * value;
      // A diagonal that is negative by less may be due to rounding of κe.
      if (left < -allowed) factors.indefinite() = 1;
      factors.phi(k, e) = value;
      factors.left(e) = left;
    }
    if (pivot.loc >= begin && pivot.loc < end) {
      factors.used() = k + 1;
      if (pivot.val > factors.allowed(1e-4)) factors.few() = k + 1;
      factors.pivots(k) = pivot.loc;
    }
  }
  /// κe of the pivot and each of these elements. An edge kernel may offer `evaluate_many`.
  KOKKOS_INLINE_FUNCTION void evaluate(std::uint32_t pivot, std::uint32_t begin, std::uint32_t end, double* to) const {
    constexpr bool alone = block == 1 || !Set::has_edge_labels;
    if constexpr (!alone && requires { kernel.evaluate_many(set.edge_labels(0), set.edge_labels.data(), 0, to); }) {
      kernel.evaluate_many(set.edge_labels(pivot), set.edge_labels.data() + begin, static_cast<int>(end - begin), to);
    } else {
      for (std::uint32_t e = begin; e < end; ++e) to[e - begin] = edge_value(set, kernel, pivot, e);
    }
  }

  /// Holds a value of κe against what is allowed, and every eighth one against the value the other way round.
  KOKKOS_INLINE_FUNCTION void look_at(std::uint32_t e, std::uint32_t pivot, double value) const {
    using octile::detail::EdgeRules;
    const bool asked = (e + static_cast<std::uint32_t>(k)) % 8 == 0;
    if (EdgeRules::inside(value) && !(asked && !EdgeRules::same(value, edge_value(set, kernel, e, pivot)))) return;
    Kokkos::atomic_min(&fault().key, octile::detail::fault_key_of(KernelFault::at_pivot, e));
  }
};

/// Finds ρ of a set; `sums` are Σ_j A_ij.
template <class MemorySpace>
struct FindReach {
  Kokkos::View<double*, MemorySpace> sums;
  Kokkos::View<double*, MemorySpace> degrees;
  Kokkos::View<std::uint32_t*, MemorySpace> vertex_begin;
  std::size_t graphs;

  KOKKOS_FUNCTION void operator()(const std::uint32_t v, double& largest) const {
    if (v < vertex_begin(graphs)) largest = Kokkos::max(largest, sums(v) / degrees(v));
  }
};

/// Writes A_ij φ_k(e_ij) of each entry in the layout of `FactoredSet`, for the factors that are not 0 and, on a CPU, their padding.
template <class Scalar, class MemorySpace>
struct FillFactors {
  Kokkos::View<Scalar*, MemorySpace> weights;
  Kokkos::View<std::uint32_t*, MemorySpace> places;
  Kokkos::View<std::uint32_t*, MemorySpace> elements;
  DeviceFactors<MemorySpace> from;
  Array<Scalar, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const std::uint32_t entry) const {
    if (entry >= elements(0)) return;
    const std::uint32_t place = places(entry);
    const auto weight = static_cast<double>(weights(place));
    const auto used = static_cast<std::size_t>(from.used());
    const std::size_t pitch = fine_grained<MemorySpace> ? used : static_cast<std::size_t>(padded_factors(from.used()));
    for (std::size_t k = 0; k < pitch; ++k) {
      values(entry * pitch + k) = k < used ? static_cast<Scalar>(weight * from.phi(k, place)) : Scalar(0);
    }
  }
};

}  // namespace detail

/// Queues the search for ρ of a set.
template <class ExecutionSpace>
void find_reach(const ExecutionSpace& space, const detail::FindReach<typename ExecutionSpace::memory_space>& find,
                const Kokkos::View<double, typename ExecutionSpace::memory_space>& reach) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
  Kokkos::parallel_reduce("octile::reach",
                          without_waiting(Policy(space, 0, static_cast<std::uint32_t>(find.sums.extent(0)))), find,
                          Kokkos::Max<double, typename ExecutionSpace::memory_space>(reach));
}

/// Queues `FillFactors` for up to so many entries.
template <class ExecutionSpace, class Scalar>
void fill_factors(const ExecutionSpace& space,
                  const detail::FillFactors<Scalar, typename ExecutionSpace::memory_space>& fill,
                  std::size_t capacity) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
  Kokkos::parallel_for("octile::fill_factors", without_waiting(Policy(space, 0, static_cast<std::uint32_t>(capacity))),
                       fill);
}

OCTILE_IN_LIBRARY template void DeviceFactors<octile::detail::LibraryMemory>::reserve(
    const octile::detail::LibrarySpace&, std::size_t, std::size_t);
OCTILE_IN_LIBRARY template void find_reach(const octile::detail::LibrarySpace&,
                                           const detail::FindReach<octile::detail::LibraryMemory>&,
                                           const Kokkos::View<double, octile::detail::LibraryMemory>&);
OCTILE_IN_LIBRARY template void fill_factors(const octile::detail::LibrarySpace&,
                                             const detail::FillFactors<double, octile::detail::LibraryMemory>&,
                                             std::size_t);
OCTILE_IN_LIBRARY template void fill_factors(const octile::detail::LibrarySpace&,
                                             const detail::FillFactors<float, octile::detail::LibraryMemory>&,
                                             std::size_t);

/// Queues forming the factors of a set's edge kernel, at most as many as `factors` has room for, so that K's relative error is
/// at most `relative_error`. Values of κe that are not allowed become a `fault`. `set.degrees` are d_i, `sums` Σ_j A_ij. `elements(0)` of `capacity` packed elements are in use.
template <class ExecutionSpace, class Set, class EdgeKernel>
void form_factors(const ExecutionSpace& space, const Set& set, std::size_t graphs,
                  const Kokkos::View<double*, typename Set::memory_space>& sums,
                  const Kokkos::View<std::uint32_t*, typename Set::memory_space>& elements, std::size_t capacity,
                  const EdgeKernel& kernel, double relative_error, DeviceFactors<typename Set::memory_space>& factors,
                  const Kokkos::View<octile::detail::KernelRecord, typename Set::memory_space>& fault) {
  using MemorySpace = typename Set::memory_space;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
  using Form = detail::FormFactor<Set, EdgeKernel>;
  find_reach(space, detail::FindReach<MemorySpace>{sums, set.degrees, set.vertex_begin, graphs}, factors.reach);
  for (int k = -1; k < factors.rank; ++k) {
    Kokkos::parallel_reduce("octile::form_factor", without_waiting(Policy(space, 0, Form::blocks(capacity))),
                            Form{set, elements, kernel, factors, relative_error, k, fault},
                            Kokkos::MaxLoc<double, std::uint32_t, MemorySpace>(factors.next_pivot));
    std::swap(factors.pivot, factors.next_pivot);
  }
}

}  // namespace octile::portable
