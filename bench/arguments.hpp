// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace octile::bench {

/// What the command line asks for, beside what Google Benchmark and Kokkos have taken off it.
struct Arguments {
  std::string data;                     ///< folder of the sets
  std::size_t pairs = 0;                ///< pairs of each set; 0 for all
  std::vector<std::string> primitives;  ///< as `parse_primitive` reads them
  std::vector<std::string> lowerings;   ///< as `parse_lowering` reads them
};

/// Throws `Error` that says what is allowed.
Arguments parse_arguments(int count, char** values);

}  // namespace octile::bench
