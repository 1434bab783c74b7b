// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "commands/gram_arguments.hpp"
#include "commands/gram_tiles.hpp"
#include "output/file.hpp"
#include "output/summary.hpp"
#include "tiles/nearest.hpp"
#include "tiles/request.hpp"

namespace octile::app {

/// How --top parts the memory.
struct TopMemory {
  std::size_t rough = 0;  ///< the solver of rough values, 0 where there is none
  std::size_t left = 0;   ///< the solver
};
/// Throws `Error` where the neighbours take more than half.
TopMemory top_memory(std::size_t most, const MatrixRequest& request, const Tiling& tiling);

/// What `solve_top` would solve: with --resume the tiles that are not done. Throws as it does before its first pair.
PlannedPart plan_top(const GramArguments& arguments, const MatrixRequest& request);

/// The nearest graphs of each graph, and what is counted of the pairs.
struct TopOfRows {
  Summary summary;
  std::unique_ptr<Nearest> nearest;
};

/// Solves a matrix tile by tile and keeps of each row the --top columns. Pairs that cannot be among them stop early, where that saves
/// work. With --resume it keeps what is found beside --out, and goes on with what is there. Throws as `solve_in_tiles`.
TopOfRows solve_top(const GramArguments& arguments, MatrixRequest request, Outputs& outputs);

}  // namespace octile::app
