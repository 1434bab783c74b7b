// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace octile::reorder {

/// SplitMix64: random numbers that are equal on every machine, unlike those of the standard library's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31);
  }

  /// A number in 0 … bound−1, for 0 < bound < 2^31; uniform to 2^-32.
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t k = values.size(); k > 1; --k) {
      std::swap(values[k - 1], values[static_cast<std::size_t>(below(static_cast<std::int32_t>(k)))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace octile::reorder
