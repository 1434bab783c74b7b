// SPDX-License-Identifier: BSD-3-Clause
#include "commands/dry_run.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <octile/bytes.hpp>

#include "commands/gram_tiles.hpp"
#include "output/matrix_names.hpp"
#include "output/npy.hpp"
#include "readers/text.hpp"
#include "tiles/matrix_solver.hpp"
#include "tiles/result_memory.hpp"
#include "tiles/tiling.hpp"

namespace octile::app {

void print_dry_run(const GramArguments& arguments, const MatrixRequest& request, bool in_tiles) {
  const std::size_t rows = request.rows;
  const std::size_t columns = request.columns();
  const std::size_t memory = request.options.memory;
  const Tiling tiling = tiling_of(request, arguments.tile_size);
  MatrixSolver solver(request, tiling);
  const std::size_t pairs = request.symmetric() ? rows * (rows + 1) / 2 : rows * columns;
  const std::size_t tile = std::min(tiling.edge(), rows) * std::min(tiling.edge(), columns) * bytes_of_place;
  const std::size_t left = in_tiles ? memory_beside_tile(request.graphs.size(), request.options.normalize, tile, memory)
                           : request.symmetric() ? memory_beside_results(rows, {request.errors, 0}, memory)
                                                 : memory_beside_pairs(pairs, {request.errors, 0}, memory);
  const Prediction predicted = solver.predict();
  fmt::print("pairs   {} of {}, {}\n", with_commas(pairs), counted(request.graphs.size(), "graph"),
             in_tiles ? fmt::format("in {} of {} rows and columns", counted(tiling.count(), "tile"),
                                    with_commas(tiling.edge()))
                      : "kept in memory as a whole");
  fmt::print("files   {} for each matrix of {}{}\n", format_bytes(rows * columns * bytes_of_number(request.written)),
             scalar_name(request.written),
             !is_hdf5(arguments.out) ? ""
             : in_tiles              ? "; two in the file of HDF5, and two more beside it until it is whole"
                                     : "; two in the file of HDF5");
  fmt::print("memory  {} for results; {} is left for the set and the work space, of --memory {}\n",
             format_bytes(memory - left), format_bytes(left), format_bytes(memory));
  fmt::print(
      "time    {} to set up, as measured; about {} to solve by one process: {} at random took {}, and others are taken "
      "to need as long for each unit of cost by the cost model; without reading and writing\n",
      duration(solver.facts().setup_seconds), duration(predicted.seconds), counted(predicted.pairs, "pair"),
      duration(predicted.sample_seconds));
}

}  // namespace octile::app
