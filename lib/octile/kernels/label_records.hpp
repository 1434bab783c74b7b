// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace octile {

struct HashNumbers {
  std::size_t operator()(std::span<const double> numbers) const {
    std::size_t hash = numbers.size();
    for (const double value : numbers) hash = (hash ^ std::hash<double>{}(value)) * 1099511628211ULL;
    return hash ^ hash >> 32U;
  }
};

/// Records of so many slots, each once and in the order of first appearance.
class Records {
 public:
  /// `most`: there will be no more of them.
  Records(std::size_t slots, std::size_t most) : slots_(slots), places_(std::bit_ceil(2 * most + 1), 0) {
    values_.reserve(most * slots);
  }

  /// The number of a record, which is `count()` before the call if it is new.
  std::uint32_t number(std::span<const double> record, std::size_t hash) {
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash & mask;
    while (places_[place] != 0 && !std::ranges::equal((*this)[places_[place] - 1], record)) place = (place + 1) & mask;
    if (places_[place] == 0) {
      values_.insert(values_.end(), record.begin(), record.end());
      places_[place] = ++count_;
    }
    return places_[place] - 1;
  }

  std::uint32_t count() const { return count_; }
  std::vector<double> take() { return std::move(values_); }

 private:
  std::span<const double> operator[](std::uint32_t number) const {
    return std::span(values_).subspan(number * slots_, slots_);
  }

  std::size_t slots_;
  std::uint32_t count_ = 0;
  std::vector<double> values_;
  std::vector<std::uint32_t> places_;  ///< number + 1, or 0: a power of two of them, at most half of them taken
};

}  // namespace octile
