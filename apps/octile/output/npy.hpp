// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace octile::app {

/// Writes `values` (row major, rows × columns) as a float64 .npy file that
/// `numpy.load` reads, completely or not at all. Throws `OutputError`.
void write_npy(const std::string& path, std::span<const double> values, std::size_t rows, std::size_t columns);

}  // namespace octile::app
