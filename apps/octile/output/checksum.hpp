// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace octile::app {

/// A checksum of 64 bits, for data that may be damaged by accident. Each step maps sums one to one, so that a change within one
/// word of 8 bytes is always detected; of all others one in 2^64 is not.
class Checksum {
 public:
  Checksum& add(std::uint64_t word) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    sum_ = (sum_ ^ word) * odd;
    sum_ ^= sum_ >> 32U;
    return *this;
  }

  Checksum& add(std::span<const double> values) {
    for (const double value : values) {
      std::uint64_t word = 0;
      std::memcpy(&word, &value, sizeof word);
      add(word);
    }
    return *this;
  }

  /// The length counts too, so that texts that follow each other do not run together.
  Checksum& add(std::string_view text) {
    add(text.size());
    for (std::size_t k = 0; k < text.size(); k += sizeof(std::uint64_t)) {
      const std::string_view part = text.substr(k, sizeof(std::uint64_t));
      std::uint64_t word = 0;
      std::memcpy(&word, part.data(), part.size());
      add(word);
    }
    return *this;
  }

  std::uint64_t value() const { return sum_; }
  /// The sum as 16 hexadecimal digits.
  std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  std::uint64_t sum_ = 0xCBF29CE484222325U;
};

/// A checksum of 64 bits of numbers, each at its place. The order in which they are added does not matter, so that a matrix has the
/// same one in whatever tiles it was written: sums of its parts add up to that of the whole. A change of one number is always detected;
/// of all others one in 2^64 is not.
class PlacedChecksum {
 public:
  /// Numbers at this place and those that follow it.
  PlacedChecksum& add(std::uint64_t place, std::span<const double> values) {
    for (const double value : values) {
      std::uint64_t word = 0;
      std::memcpy(&word, &value, sizeof word);
      sum_ += mixed(word + mixed(place++));
    }
    return *this;
  }

  PlacedChecksum& add(const PlacedChecksum& part) {
    sum_ += part.sum_;
    return *this;
  }

  /// The sum as 16 hexadecimal digits.
  std::string text() const { return fmt::format("{:016x}", sum_); }
  /// The checksum that `text` wrote; of any other text one that fits nothing by more than chance.
  static PlacedChecksum of_text(std::string_view text) {
    PlacedChecksum sum;
    std::from_chars(text.data(), text.data() + text.size(), sum.sum_, 16);
    return sum;
  }

  bool operator==(const PlacedChecksum&) const = default;

 private:
  /// Maps words one to one (the finalizer of splitmix64).
  static std::uint64_t mixed(std::uint64_t word) {
    word += 0x9E3779B97F4A7C15U;
    word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9U;
    word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
    return word ^ (word >> 31U);
  }

  std::uint64_t sum_ = 0;
};

/// The checksum of all numbers of a matrix, computed by all threads.
PlacedChecksum checksum_of(std::span<const double> values);

}  // namespace octile::app
