// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace octile::app {

/// What stands before the values of a float64 .npy file of this shape.
std::string npy_header(const std::vector<std::size_t>& shape);

/// Writes `values` (row major, of this shape) as a float64 .npy file that `numpy.load` reads.
void write_npy(std::ostream& file, std::span<const double> values, const std::vector<std::size_t>& shape);

}  // namespace octile::app
