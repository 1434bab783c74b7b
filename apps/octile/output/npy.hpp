// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include <octile/precision.hpp>

namespace octile::app {

/// What stands before the values of a .npy file of this shape and precision.
std::string npy_header(const std::vector<std::size_t>& shape, Precision precision = Precision::float64);

/// The bytes of a number in such a file.
constexpr std::size_t bytes_of_number(Precision precision) {
  return precision == Precision::float64 ? sizeof(double) : sizeof(float);
}

/// Numbers of such a file as doubles: `fill` puts their bytes into the span that it is given.
template <class Fill>
void read_numbers(Precision precision, std::span<double> values, const Fill& fill) {
  if (precision == Precision::float64) {
    fill(std::as_writable_bytes(values));
    return;
  }
  std::vector<float> numbers(values.size());
  fill(std::as_writable_bytes(std::span(numbers)));
  std::ranges::copy(numbers, values.begin());
}

/// Writes `values` (row major, of this shape) as a .npy file that `numpy.load` reads.
void write_npy(std::ostream& file, std::span<const double> values, const std::vector<std::size_t>& shape,
               Precision precision = Precision::float64);

}  // namespace octile::app
