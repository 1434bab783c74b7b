// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace octile::bench {

/// The options on the command line that are not Google Benchmark's or Kokkos'.
struct Arguments {
  std::string data;                     ///< folder of the sets
  std::size_t pairs = 0;                ///< pairs of each set; 0 for all
  std::vector<std::string> primitives;  ///< as `parse_primitive` reads them
  std::vector<std::string> orders;      ///< names of `reorder::orders()`
  std::vector<std::string> lowerings;   ///< as `parse_lowering` reads them
  std::vector<std::string>
      accuracies;  ///< as `Accuracy` reads them, besides solves to a residual; "none" for no others
  /// Beside solves to an accuracy for values alone: the names of `Derivatives` that are asked for with them.
  std::vector<std::string> derivatives;
  bool brief = false;  ///< whether roofs are measured with less work
};

/// Throws `Error` that says what is allowed.
Arguments parse_arguments(std::span<char* const> values);

}  // namespace octile::bench
