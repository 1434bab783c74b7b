// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "commands/gram_arguments.hpp"
#include "output/file.hpp"
#include "output/summary.hpp"
#include "tiles/matrix_files.hpp"
#include "tiles/ranks.hpp"
#include "tiles/request.hpp"

namespace octile::app {

/// The file that --resume keeps beside --out, as users know it.
std::string begun_name(const GramArguments& arguments);
/// What is allowed where that is of another request.
inline constexpr const char* begun_is_allowed = "the same request, or to remove it, and to start over";
/// The size of the tiles of what was begun with this one, which it keeps. Throws `UsageError` where --tile-size is another.
std::size_t edge_begun(const GramArguments& arguments, std::size_t edge);
/// Says so, unless --quiet.
void say_resuming(const GramArguments& arguments, std::size_t done, std::size_t tiles);

/// The tiles of a matrix, of this edge, or for 0 as --memory allows; none goes across `cut`.
Tiling tiling_of(const MatrixRequest& request, std::size_t edge, std::size_t cut = 0);

/// A matrix that was solved in tiles, with its files, which are to be committed.
struct TiledMatrixFiles {
  Summary summary;
  std::unique_ptr<MatrixFiles> files;
};

/// Solves a matrix tile by tile, and writes --out and --errors as it goes. With --resume it keeps what is done, and goes on with what
/// is there. Where several ranks solve, the first one writes all but the tiles of the others, for which the files are null. Throws `Error` as `gram` does and where --memory does not suffice, `UsageError` for --resume with other options
/// than before, and `OutputError`.
TiledMatrixFiles solve_in_tiles(const GramArguments& arguments, MatrixRequest request, Outputs& outputs, Ranks& ranks);

/// What `solve_part` would solve: with --resume the tiles that are not done.
struct PlannedPart {
  Tiling tiling;
  std::vector<std::size_t> tiles;
};
/// Throws as `solve_part` before its first pair. The request asks for bounds.
PlannedPart plan_part(const GramArguments& arguments, const MatrixRequest& request);

/// Solves the tiles of --tiles alone and writes them to --out, one after the other, with what `names` makes of the solver's choices.
/// Throws as `solve_in_tiles`, and `UsageError` for tiles that the matrix does not have.
Summary solve_part(const GramArguments& arguments, MatrixRequest request, Outputs& outputs,
                   const std::function<std::string(const SolveFacts&)>& names);

/// Renames the outputs, among them those of a matrix in tiles.
void commit(Outputs& outputs, const MatrixFiles& files);

}  // namespace octile::app
