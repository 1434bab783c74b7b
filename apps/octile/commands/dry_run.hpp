// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands/gram_arguments.hpp"
#include "output/selected_pairs.hpp"
#include "tiles/ranks.hpp"
#include "tiles/request.hpp"

namespace octile::app {

/// Prints at rank 0 what the run would take: pairs, tiles, files, memory and time, the last from a sample of the pairs that all ranks
/// solve now, at the same time. Writes nothing. `in_tiles` says whether the matrix would be solved in tiles; of other runs the selection
/// has the pairs, if not all are asked for. `ranks` is null where there is one process. Throws as the run would before its first pair.
/// Collective.
void print_dry_run(const GramArguments& arguments, const MatrixRequest& request, const Selection& selection,
                   bool in_tiles, Ranks* ranks);

}  // namespace octile::app
