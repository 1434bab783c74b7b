// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/device_factors.hpp>
#include <octile/portable/factored_set.hpp>
#include <octile/portable/refining_steps.hpp>
#include <octile/portable/xmv/factored.hpp>
#include <octile/unit_roundoff.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace octile::portable {

/// The factored product in double on a CPU, with a coarser one in float beside it: the first few of the same factors, as many as
/// matter in float. Pairs are solved by the coarse one, and refined by the exact one. The coarse one takes fewer and fewer of them.
///
///     factors of entry e   factors(e · used + k), k < used;        coarse(e · few + k), k < few
///
/// both padded (`padded_factors`): the exact ones with 0, the coarse ones with the next factors.
template <class MemorySpace>
class RefinedXmv {
 public:
  RefinedXmv(FactoredSpace<double, MemorySpace> space, const DeviceFactors<MemorySpace>& factors,
             Kokkos::View<float*, MemorySpace> coarse)
      : space_(std::move(space)),
        used_(factors.used),
        few_(factors.few),
        errors_(factors.errors),
        coarse_(std::move(coarse)) {}

  /// Elements of work space for a pair of up to n and m vertices: S x, then what either product needs.
  static std::size_t elements(std::size_t n, std::size_t m, std::size_t rank) {
    return n * m + std::max(factored_work<double>(n, m, rank), (factored_work<float>(n, m, rank) + 1) / 2);
  }

  int threads() const { return 1; }
  std::size_t scratch_bytes() const { return 0; }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel&, const double* x, double* y,
                             TeamScratch) const {
    multiply(system, system.set.factors.data(), padded_factors(used_()), padded_factors(used_()), x, y,
             &space_(member.league_rank(), 0) + system.size());
  }

  /// Solves a pair, whose M and b are there, and leaves x in `vectors`. One that does not converge is to be solved in double.
  template <class Member, class System>
  KOKKOS_FUNCTION PairResult refine(const Member& member, const System& system, const HostVectors<double>& vectors,
                                    const SolveOptions& options) const {
    double* const product = &space_(member.league_rank(), 0);
    double* const work = product + system.size();
    // All float factors, including those that stand in the padding.
    const int all = padded_factors(few_());
    const auto coarse = [&](const float* from, float* to, double allowed) {
      multiply(system, coarse_.data(), enough_factors(errors_, few_(), allowed), all, from, to,
               reinterpret_cast<float*>(work));
    };
    const auto exact = [&](const double* from, double* to) {
      multiply(system, system.set.factors.data(), padded_factors(used_()), padded_factors(used_()), from, to, work);
    };
    // Sums of up to some thousand terms, in chunks, typically lose less than this.
    constexpr double rounding = 32 * unit_roundoff_of<float>;
    const double coarse_error = rounding + (all < used_() ? errors_(all) : 0.0);
    RefiningSteps<decltype(coarse), decltype(exact)> steps(coarse, exact, vectors, product, coarse_error);
    return iterate<float>(steps, options);
  }

 private:
  template <class System, class Scalar>
  KOKKOS_FUNCTION static void multiply(const System& system, const Scalar* factors, int rank, int pitch,
                                       const Scalar* x, Scalar* y, Scalar* work) {
    const auto rows = [&](std::uint32_t first) {
      return FactoredRows<Scalar>{system.set.row_begin.data() + first, system.set.columns.data(), factors, rank, pitch};
    };
    factored_product(rows(system.first_vertex), rows(system.second_vertex), system.n, system.m, x, y, work);
  }

  FactoredSpace<double, MemorySpace> space_;
  Kokkos::View<int, MemorySpace> used_;
  Kokkos::View<int, MemorySpace> few_;
  Kokkos::View<double*, MemorySpace> errors_;
  Kokkos::View<float*, MemorySpace> coarse_;
};

namespace detail {

/// Writes A_ij φ_k(e_ij) of each entry for `RefinedXmv`.
template <class MemorySpace>
struct FillRefined {
  Kokkos::View<double*, MemorySpace> weights;
  Kokkos::View<std::uint32_t*, MemorySpace> places;
  Kokkos::View<std::uint32_t*, MemorySpace> elements;
  DeviceFactors<MemorySpace> from;
  Array<double, MemorySpace> values;
  Kokkos::View<float*, MemorySpace> coarse;

  KOKKOS_FUNCTION void operator()(const std::uint32_t entry) const {
    if (entry >= elements(0)) return;
    const std::uint32_t place = places(entry);
    const auto used = static_cast<std::size_t>(from.used());
    const auto pitch = static_cast<std::size_t>(padded_factors(from.used()));
    const auto few = static_cast<std::size_t>(padded_factors(from.few()));
    for (std::size_t k = 0; k < pitch; ++k) {
      const double value = k < used ? weights(place) * from.phi(k, place) : 0;
      values(entry * pitch + k) = value;
      if (k < few) coarse(entry * few + k) = static_cast<float>(value);
    }
  }
};

}  // namespace detail
}  // namespace octile::portable
