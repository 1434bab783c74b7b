// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <octile/gram.hpp>

#include "readers/spatial_adjacency.hpp"

namespace octile::app {

/// A pair that did not converge, by the numbers of its graphs.
struct Unconverged {
  std::size_t first = 0;
  std::size_t second = 0;
  PairResult result;
};

/// The summary of a finished Gram matrix.
struct Summary {
  std::size_t pairs = 0;
  double pairs_per_second = 0;
  std::int32_t fewest_iterations = 0;
  std::int32_t median_iterations = 0;
  std::int32_t most_iterations = 0;
  std::vector<Unconverged> unconverged;
};

Summary summarize(const GramResult& result);

/// Prints the summary for people, with the names of the first unconverged pairs.
void print_summary(const Summary& summary, const GramResult& result, const std::vector<std::string>& names,
                   const std::vector<std::string>& skipped);

/// The request, for the machine-readable summary.
struct Request {
  std::vector<std::string> inputs;
  std::optional<SpatialRule> rule;  ///< nothing if no input has coordinates
  const KernelSpec* kernel = nullptr;
  const GramOptions* options = nullptr;
};

/// The summary as JSON, with the names of all graphs in the order of the matrix.
std::string summary_json(const Summary& summary, const GramResult& result, const std::vector<std::string>& names,
                         const std::vector<std::string>& skipped, const Request& request);

}  // namespace octile::app
