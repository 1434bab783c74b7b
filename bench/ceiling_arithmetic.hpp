// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

// Kernels that compute in registers at the peak rate. Each writes the results of all threads to `out`, so that nothing
// is optimised away; `expected()` is the correct result.
namespace octile::bench {

/// v ← v / 2 + 1 in `Chains` independent chains; all converge to 2.
template <class Scalar, int Chains, class Memory>
struct MultiplyAdds {
  Array<Scalar, Memory> out;
  int rounds;
  Scalar factor = Scalar(0.5);
  Scalar summand = Scalar(1);

  MultiplyAdds(std::size_t threads, int count) : out("octile::ceiling_out", threads), rounds(count) {}
  double expected() const { return 2.0 * Chains; }

  KOKKOS_FUNCTION void operator()(int thread) const {
    Scalar value[Chains];
    for (int c = 0; c < Chains; ++c) value[c] = Scalar(c + thread % 8);
    for (int round = 0; round < rounds; ++round) {
      for (int c = 0; c < Chains; ++c) value[c] = value[c] * factor + summand;
    }
    Scalar sum = 0;
    for (int c = 0; c < Chains; ++c) sum += value[c];
    out(thread) = sum;
  }
};

/// v ← exp(−v) in `Chains` independent chains; all converge to the root of v = exp(−v).
template <int Chains, class Memory>
struct Exponentials {
  Array<float, Memory> out;
  int rounds;

  Exponentials(std::size_t threads, int count) : out("octile::ceiling_out", threads), rounds(count) {}
  double expected() const { return 0.5671433 * Chains; }

  KOKKOS_FUNCTION void operator()(int thread) const {
    float value[Chains];
    for (int c = 0; c < Chains; ++c) value[c] = 0.5F + 0.01F * static_cast<float>((c + thread) % 8);
    for (int round = 0; round < rounds; ++round) {
      for (int c = 0; c < Chains; ++c) value[c] = Kokkos::exp(-value[c]);
    }
    float sum = 0;
    for (int c = 0; c < Chains; ++c) sum += value[c];
    out(thread) = sum;
  }
};

}  // namespace octile::bench
