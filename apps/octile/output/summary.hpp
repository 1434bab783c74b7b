// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octile/gram.hpp>
#include <octile/parameters.hpp>

#include "output/matrix_names.hpp"
#include "output/selected_pairs.hpp"
#include "output/target_table.hpp"
#include "readers/read.hpp"

namespace octile::app {

/// A pair that did not converge, by the numbers of its graphs.
struct Unconverged {
  std::size_t first = 0;
  std::size_t second = 0;
  PairResult result;
};

/// What a solve says of itself besides its values.
struct SolveFacts {
  std::size_t graphs = 0;
  std::size_t refined = 0;  ///< pairs solved once more in float64, or further
  UsedOrder order{};
  double setup_seconds = 0;
  double solve_seconds = 0;
  std::string description;   ///< the solver's choices
  double read_seconds = 0;   ///< of graphs, until they are ready to be prepared
  double write_seconds = 0;  ///< of tiles by a thread of its own while others are solved, or of a whole matrix
  /// Where several processes solved: each by its rank.
  struct Rank {
    std::size_t tiles = 0;
    double read_seconds = 0;
    double setup_seconds = 0;  ///< with the order of the vertices
    double solve_seconds = 0;
    double write_seconds = 0;  ///< while others were solved
    double idle_seconds = 0;   ///< after its last tile, until all were done
    std::size_t bytes = 0;     ///< that it wrote of the matrix
  };
  std::vector<Rank> ranks{};
};

/// Pairs that were solved roughly, and not to the end where that was enough. Products are those of a pair's matrix with a vector.
struct EarlyStops {
  std::size_t pairs = 0;       ///< that stopped
  double products = 0;         ///< of all pairs together
  double products_of_all = 0;  ///< about what they had been if none had stopped
};

/// The summary of finished pairs.
struct Summary {
  SolveFacts facts;
  std::size_t pairs = 0;
  double pairs_per_second = 0;
  std::int32_t fewest_iterations = 0;
  std::int32_t median_iterations = 0;
  std::int32_t most_iterations = 0;
  double largest_error = 0;  ///< the largest bound of a value's relative error, infinite if one has none
  std::vector<Unconverged> unconverged;
  std::optional<EarlyStops> stops{};  ///< where pairs may stop early; they are among `pairs`, and have no iterations
  std::size_t unlisted = 0;           ///< unconverged pairs besides those: a matrix in tiles keeps the first 100,000
};

/// The summary of a Gram matrix.
Summary summarize(const GramResult& result, bool normalized);
/// The summary of a list of pairs; `error_bounds` are those of their values.
Summary summarize(std::span<const PairResult> results, std::span<const Pair> pairs,
                  std::span<const double> error_bounds, SolveFacts facts);

/// Prints the summary for people, with the names of the first unconverged pairs.
void print_summary(const Summary& summary, const std::vector<std::string>& names,
                   const std::vector<std::string>& skipped);

/// The request, for the machine-readable summary.
struct Request {
  std::vector<std::string> inputs;
  std::optional<SpatialRule> rule;  ///< nothing if no input has coordinates
  const KernelSpec* kernel = nullptr;
  const GramOptions* options = nullptr;
  const TargetTable* targets = nullptr;
  std::string start;                  ///< where walks start
  std::vector<Parameter> parameters;  ///< by which derivatives were formed
  /// Which pairs of the graphs the values are of; all of them if null.
  const Selection* selection = nullptr;
  /// What became of molecules; null if no input has any.
  const MoleculeOptions* molecules = nullptr;
  /// Which atoms of structures were taken; may be null.
  const AtomChoice* atoms = nullptr;
};

/// The summary as JSON, with the names of all graphs in the order of the matrix. If it stands beside a matrix under its name, it has
/// what `names_json` has of it, too.
std::string summary_json(const Summary& summary, const std::vector<std::string>& names,
                         const std::vector<std::string>& skipped, const Request& request,
                         const MatrixNames* matrix = nullptr);

/// What stands beside a matrix: the request, and the graphs of its rows and columns.
std::string names_json(const Request& request, const SolveFacts& facts, const MatrixNames& matrix);

}  // namespace octile::app
