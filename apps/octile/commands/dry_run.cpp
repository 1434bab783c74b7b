// SPDX-License-Identifier: BSD-3-Clause
#include "commands/dry_run.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/bytes.hpp>

#include "commands/gram_tiles.hpp"
#include "output/matrix_names.hpp"
#include "output/npy.hpp"
#include "readers/text.hpp"
#include "tiles/matrix_solver.hpp"
#include "tiles/rank_work.hpp"
#include "tiles/result_memory.hpp"
#include "tiles/shared_time.hpp"
#include "tiles/tiling.hpp"

namespace octile::app {

namespace {

/// How long all ranks need for the tiles, of which each would need so long for all. Collective; only rank 0 knows it.
double seconds_of_all(Ranks& ranks, const MatrixSolver& solver, const Tiling& tiling, double alone) {
  std::vector<double> seconds;
  for (const std::string& text : ranks.gather(nlohmann::json(alone).dump())) {
    seconds.push_back(nlohmann::json::parse(text).get<double>());
  }
  if (seconds.empty()) return alone;
  std::vector<double> costs(tiling.count());
  for (std::size_t number = 0; number < costs.size(); ++number) costs[number] = solver.work(tiling.tile(number));
  return seconds_together(std::move(costs), seconds);
}

}  // namespace

void print_dry_run(const GramArguments& arguments, const MatrixRequest& request, bool in_tiles, Ranks& ranks) {
  const std::size_t rows = request.rows;
  const std::size_t columns = request.columns();
  const std::size_t memory = request.options.memory;
  const Tiling tiling = tiling_of(request, arguments.tile_size);
  MatrixSolver solver(request, tiling);
  const bool together = ranks.size() > 1;
  if (together) {
    nlohmann::json identity = identity_of(request);
    add_prepared(identity, tiling.edge(), solver.facts());
    require_common(ranks, identity);
    // All begin their samples when the last one is ready, since they may share the cores.
    ranks.broadcast({});
  }
  const std::size_t pairs = request.symmetric() ? rows * (rows + 1) / 2 : rows * columns;
  const std::size_t tile = std::min(tiling.edge(), rows) * std::min(tiling.edge(), columns) * bytes_of_place;
  const std::size_t left = in_tiles ? memory_beside_tile(request.graphs.size(), request.options.normalize, tile, memory)
                           : request.symmetric() ? memory_beside_results(rows, {request.errors, 0}, memory)
                                                 : memory_beside_pairs(pairs, {request.errors, 0}, memory);
  const Prediction predicted = solver.predict();
  const double seconds = together ? seconds_of_all(ranks, solver, tiling, predicted.seconds) : predicted.seconds;
  if (!ranks.first()) {
    ranks.deliver();
    return;
  }
  fmt::print("pairs   {} of {}, {}\n", with_commas(pairs), counted(request.graphs.size(), "graph"),
             in_tiles ? fmt::format("in {} of {} rows and columns", counted(tiling.count(), "tile"),
                                    with_commas(tiling.edge()))
                      : "kept in memory as a whole");
  fmt::print("files   {} for each matrix of {}{}\n", format_bytes(rows * columns * bytes_of_number(request.written)),
             scalar_name(request.written),
             !is_hdf5(arguments.out) ? ""
             : in_tiles              ? "; two in the file of HDF5, and two more beside it until it is whole"
                                     : "; two in the file of HDF5");
  fmt::print("memory  {} for results; {} is left for the set and the work space, of --memory {}{}\n",
             format_bytes(memory - left), format_bytes(left), format_bytes(memory), together ? " of each process" : "");
  fmt::print(
      "time    {} to set up, as measured; about {} to solve by {}: {} at random took {}, and others are taken "
      "to need as long for each unit of cost by the cost model; without reading and writing\n",
      duration(solver.facts().setup_seconds), duration(seconds),
      together ? fmt::format("{} processes, of which each takes the costliest tile left when it is free", ranks.size())
               : "one process",
      counted(predicted.pairs, "pair"), duration(predicted.sample_seconds));
}

}  // namespace octile::app
