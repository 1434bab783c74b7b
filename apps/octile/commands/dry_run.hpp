// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands/gram_arguments.hpp"
#include "tiles/ranks.hpp"
#include "tiles/request.hpp"

namespace octile::app {

/// Prints at rank 0 what the matrix would take: pairs, tiles, files, memory and time, the last from a sample of the pairs that all ranks
/// solve now, at the same time. Writes nothing. `in_tiles` says whether it would be written in tiles. Throws as the run would before its
/// first pair. Collective.
void print_dry_run(const GramArguments& arguments, const MatrixRequest& request, bool in_tiles, Ranks& ranks);

}  // namespace octile::app
