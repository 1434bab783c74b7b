// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/unit_roundoff.hpp>
#include <octile/certify/rotated_factors.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/portable/iterate/refining_steps.hpp>
#include <octile/portable/xmv/factored.hpp>
#include <octile/portable/xmv/factored_set.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace octile::portable {

/// The factored product of a pair with the first `rank` of `pitch` factors.
template <class System, class Scalar>
KOKKOS_FUNCTION void multiply_factors(const System& system, const Scalar* factors, int rank, int pitch, const Scalar* x,
                                      Scalar* y, Scalar* work) {
  const auto rows = [&](std::uint32_t first) {
    return FactoredRows<Scalar>{system.set.row_begin.data() + first, system.set.columns.data(), factors, rank, pitch};
  };
  factored_product(rows(system.first_vertex), rows(system.second_vertex), system.n, system.m, x, y, work);
}

/// Factors in float that are rotated so that the first ones leave the least (`find_rotation`).
template <class MemorySpace>
struct RotatedFactors {
  Kokkos::View<float*, MemorySpace> coarse;  ///< A_ij ψ_c of each entry
  Kokkos::View<double*, MemorySpace> rotation;
  Kokkos::View<double*, MemorySpace> left;  ///< what the first of them leave of κe, a root mean square
  Kokkos::View<double*, MemorySpace>
      most_left;  ///< what prefixes of them leave of a row at most (`octile::rotate_factors`)

  /// Room for so many numbers of entries; grows only.
  template <class ExecutionSpace>
  void reserve(const ExecutionSpace& space, std::size_t numbers) {
    octile::detail::grow(space, coarse, "coarse_factors", numbers);
    octile::detail::grow(space, rotation, "rotation", rotation_size);
    octile::detail::grow(space, left, "rotated_left", std::size_t{most_rotated});
    octile::detail::grow(space, most_left, "most_left", std::size_t{most_prefixes});
  }
};

/// The product in float with the first of a set's rotated factors, as many as suffice, for a pair.
template <class System, class MemorySpace>
class RotatedProduct {
 public:
  /// `few` factors are known to matter. Those that fill their last chunk are taken, too.
  KOKKOS_FUNCTION RotatedProduct(const System& system, const RotatedFactors<MemorySpace>& factors, int few, float* work)
      : system_(system), factors_(factors), few_(few), all_(padded_factors(few)), work_(work) {}

  /// The product with factors that leave about `allowed` of κe, as a root mean square.
  KOKKOS_FUNCTION void operator()(const float* from, float* to, double allowed) const {
    multiply(enough_factors(factors_.left, few_, allowed), from, to);
  }
  /// The error of the cheapest product that has no more than `most`: of a row, divided by M and by the largest |p|. Infinite if all have more.
  KOKKOS_FUNCTION double error(double most) const {
    const int prefix = first_within(most);
    return prefix < prefixes_of(all_) ? error_of(prefix) : Kokkos::Experimental::infinity_v<double>;
  }
  /// The product whose error `error` returned.
  KOKKOS_FUNCTION void within(const float* from, float* to, double error) const {
    multiply(Kokkos::min((first_within(error) + 1) * rotated_step, all_), from, to);
  }

 private:
  /// The shortest prefix whose error is no more than that; behind the last where there is none.
  KOKKOS_FUNCTION int first_within(double most) const {
    int prefix = 0;
    while (prefix < prefixes_of(all_) && !(error_of(prefix) <= most)) ++prefix;
    return prefix;
  }
  KOKKOS_FUNCTION double error_of(int prefix) const {
    // What float32 rounds: sums over the entries of two rows and over the factors, and the factors themselves.
    const double rounding = (system_.n + system_.m + all_ + 8) * unit_roundoff_of<float>;
    return rounding + factors_.most_left(prefix) * factors_.most_left(prefix);
  }
  KOKKOS_FUNCTION void multiply(int rank, const float* from, float* to) const {
    multiply_factors(system_, factors_.coarse.data(), rank, all_, from, to, work_);
  }

  const System& system_;
  const RotatedFactors<MemorySpace>& factors_;
  int few_;
  int all_;
  float* work_;
};

namespace detail {

/// What is rotated, on a host: factors of entries as `fill_factors` writes them.
template <class MemorySpace>
struct RotatingWork {
  Array<double, MemorySpace> values;
  Array<std::uint32_t, MemorySpace> row_begin;
  Array<std::uint32_t, MemorySpace> vertex_begin;
  Array<double, MemorySpace> degrees;
  std::size_t graphs;
  DeviceFactors<MemorySpace> from;
  RotatedFactors<MemorySpace> to;

  EntryFactors factors() const {
    return {values.data(), static_cast<std::size_t>(padded_factors(from.used())), from.used()};
  }
  int kept() const { return padded_factors(from.few()); }
};

}  // namespace detail

/// The factored product in double on a CPU, with a coarser one in float beside it: the first few of the same factors when these are
/// rotated so that the first ones leave the least (`find_rotation`), as many as matter in float. Pairs are solved by the coarse one, and
/// refined by the exact one. The coarse one takes fewer and fewer of them.
///
///     factors of entry e   factors(e · used + k), k < used;        coarse(e · few + k), k < few
///
/// both padded (`padded_factors`): the exact ones with 0, the coarse ones with the next factors.
template <class MemorySpace>
class RefinedXmv {
 public:
  RefinedXmv(FactoredSpace<double, MemorySpace> space, const DeviceFactors<MemorySpace>& factors,
             const RotatedFactors<MemorySpace>& rotated)
      : space_(std::move(space)), used_(factors.used), few_(factors.few), rotated_(rotated) {}

  /// Elements of work space for a pair of up to n and m vertices: S x, then what either product needs.
  static std::size_t elements(std::size_t n, std::size_t m, std::size_t rank) {
    return n * m + std::max(factored_work<double>(n, m, rank), (factored_work<float>(n, m, rank) + 1) / 2);
  }

  int threads() const { return 1; }
  std::size_t scratch_bytes() const { return 0; }

  template <class Member, class System, class EdgeKernel>
  KOKKOS_FUNCTION void apply(const Member& member, const System& system, const EdgeKernel&, const double* x, double* y,
                             TeamScratch) const {
    multiply_exactly(system, x, y, &space_(member.league_rank(), 0) + system.size());
  }

  /// Solves a pair, whose M and b are there, and leaves x in `vectors`. One that does not converge is to be solved in double.
  template <class Member, class System>
  KOKKOS_FUNCTION PairResult refine(const Member& member, const System& system, const HostVectors<double>& vectors,
                                    const SolveOptions& options) const {
    double* const product = &space_(member.league_rank(), 0);
    double* const work = product + system.size();
    const RotatedProduct coarse(system, rotated_, few_(), reinterpret_cast<float*>(work));
    const auto exact = [&](const double* from, double* to) { multiply_exactly(system, from, to, work); };
    RefiningSteps<decltype(coarse), decltype(exact)> steps(coarse, exact, vectors, product);
    return iterate<float>(steps, options);
  }

 private:
  template <class System>
  KOKKOS_FUNCTION void multiply_exactly(const System& system, const double* x, double* y, double* work) const {
    const int all = padded_factors(used_());
    multiply_factors(system, system.set.factors.data(), all, all, x, y, work);
  }

  FactoredSpace<double, MemorySpace> space_;
  Kokkos::View<int, MemorySpace> used_;
  Kokkos::View<int, MemorySpace> few_;
  RotatedFactors<MemorySpace> rotated_;
};

namespace detail {

/// Finds the rotation of a set's factors, of whose rows nothing is known to be left yet.
template <class MemorySpace>
struct FindRotation {
  RotatingWork<MemorySpace> work;

  void operator()(int) const {
    std::fill_n(work.to.most_left.data(), most_prefixes, 0.0);
    const EntryRows rows{work.row_begin.data(), work.degrees.data(), work.vertex_begin(work.graphs)};
    find_rotation(work.factors(), rows, work.kept(), work.to.rotation.data(), work.to.left.data());
  }
};

/// Writes A_ij ψ_c(e_ij) of the entries of a block of vertices.
template <class MemorySpace>
struct RotateFactors {
  RotatingWork<MemorySpace> work;

  /// Vertices of one call.
  static constexpr std::uint32_t block = 32;
  static std::uint32_t blocks(std::size_t vertices) {
    return static_cast<std::uint32_t>((vertices + block - 1) / block);
  }

  void operator()(const std::uint32_t number) const {
    const std::uint32_t end = std::min((number + 1) * block, work.vertex_begin(work.graphs));
    std::array<double, most_prefixes> most{};
    std::array<double, most_prefixes> left;
    const int prefixes = prefixes_of(work.kept());
    for (std::uint32_t v = number * block; v < end; ++v) {
      octile::rotate_factors(work.factors(), work.to.rotation.data(), work.row_begin(v), work.row_begin(v + 1),
                             work.kept(), work.to.coarse.data(), left.data());
      for (std::size_t p = 0; p < static_cast<std::size_t>(prefixes); ++p) {
        most[p] = std::max(most[p], left[p] / work.degrees(v));
      }
    }
    for (int p = 0; p < prefixes; ++p) Kokkos::atomic_max(&work.to.most_left(p), most[static_cast<std::size_t>(p)]);
  }
};

}  // namespace detail

/// Queues the rotation of a set's factors, of up to so many vertices.
template <class ExecutionSpace>
void rotate_factors(const ExecutionSpace& space,
                    const detail::RotatingWork<typename ExecutionSpace::memory_space>& work, std::size_t capacity) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Blocks = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint32_t>>;
  Kokkos::parallel_for("octile::find_rotation", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1)),
                       detail::FindRotation<MemorySpace>{work});
  using Rotate = detail::RotateFactors<MemorySpace>;
  Kokkos::parallel_for("octile::rotate_factors", without_waiting(Blocks(space, 0, Rotate::blocks(capacity))),
                       Rotate{work});
}
#ifndef KOKKOS_ENABLE_CUDA  // hosts alone rotate factors
OCTILE_IN_LIBRARY template void rotate_factors(const octile::detail::LibrarySpace&,
                                               const detail::RotatingWork<octile::detail::LibraryMemory>&, std::size_t);
#endif

}  // namespace octile::portable
