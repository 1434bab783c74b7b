// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/conjugate_gradient.hpp>
#include <octile/portable/iterate/host_vectors.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>

namespace octile::portable {

/// The vectors of a pair, one after the other in its memory.
template <class Scalar>
KOKKOS_INLINE_FUNCTION HostVectors<Scalar> host_vectors(Scalar* memory, std::size_t size) {
  if constexpr (sizeof(Scalar) == sizeof(double)) {
    return {size,
            memory,
            memory + size,
            memory,
            memory + 2 * size,
            memory + 3 * size,
            memory + 4 * size,
            memory + 5 * size};
  } else {
    auto* const numbers = reinterpret_cast<double*>(memory);
    Scalar* const rest = memory + 4 * size;
    return {size, numbers, numbers + size, rest, rest + size, rest + 2 * size, rest + 3 * size, rest + 4 * size};
  }
}

/// The steps of `iterate` by these passes. `apply(slack)` forms a ← N p.
template <class T, class Apply>
class HostSteps {
 public:
  using Scalar = T;
  using Real = double;
  static constexpr Real guess_margin = 0.8;
  static constexpr bool starts = false;

  KOKKOS_FUNCTION HostSteps(const Apply& apply, const HostVectors<Scalar>& vectors)
      : apply_(apply), vectors_(vectors) {}

  KOKKOS_FUNCTION TwoSums begin() { return sums(passes_.begin(vectors_)); }
  KOKKOS_FUNCTION void apply(double slack) { apply_(slack); }
  KOKKOS_FUNCTION double curvature() { return passes_.curvature(vectors_); }
  KOKKOS_FUNCTION TwoSums step(Scalar alpha) { return sums(passes_.step(vectors_, alpha)); }
  KOKKOS_FUNCTION void advance(Scalar alpha, Scalar beta) { passes_.advance(vectors_, alpha, beta); }
  KOKKOS_FUNCTION void settle(Scalar alpha) { passes_.settle(vectors_, alpha); }
  KOKKOS_FUNCTION void leave(Scalar alpha) { settle(alpha); }
  KOKKOS_FUNCTION void close(Scalar alpha) { settle(alpha); }
  KOKKOS_FUNCTION TwoSums recompute() { return sums(passes_.recompute(vectors_)); }
  KOKKOS_FUNCTION double norm() { return passes_.norm(vectors_); }
  KOKKOS_FUNCTION double worst() { return passes_.worst(vectors_); }
  KOKKOS_FUNCTION double quotient(double a, double b) const { return a / b; }
  KOKKOS_FUNCTION void keep(const Bounds<double>& bounds) { bounds_ = bounds; }
  KOKKOS_FUNCTION const Bounds<double>& bounds() const { return bounds_; }

 private:
  KOKKOS_FUNCTION static TwoSums sums(const HostSums& both) { return {both.first, both.second}; }

  const Apply& apply_;
  const HostPasses<Scalar>& passes_ = host_passes<Scalar>();
  HostVectors<Scalar> vectors_;
  Bounds<double> bounds_{};
};

}  // namespace octile::portable
