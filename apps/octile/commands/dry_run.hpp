// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "commands/gram_arguments.hpp"
#include "tiles/request.hpp"

namespace octile::app {

/// Prints what the matrix would take: pairs, tiles, files, memory and time, the last from a sample of the pairs that is solved now.
/// Writes nothing. `in_tiles` says whether it would be written in tiles. Throws as the run would before its first pair.
void print_dry_run(const GramArguments& arguments, const MatrixRequest& request, bool in_tiles);

}  // namespace octile::app
