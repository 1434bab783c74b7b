// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "output/output_file.hpp"
#include "tiles/journal.hpp"
#include "tiles/statistics.hpp"
#include "tiles/tile_values.hpp"
#include "tiles/tiled_matrix.hpp"
#include "tiles/tiling.hpp"

namespace octile::app::tiles {

/// The paths of a matrix, and of the bounds of its values, empty if these are not asked for.
struct MatrixPaths {
  std::string values;
  std::string errors;
};

/// What was begun before this run: nothing, or a journal of the same request. To be asked before any work, since it refuses what
/// is not the same. Brings back outputs that the run before had renamed when it ended. Throws as `Journal` and `require_same` do.
std::optional<nlohmann::json> begun_before(const MatrixPaths& paths, const nlohmann::json& request);

/// The files of a matrix that is written tile by tile. If it may be resumed, they keep what is done: data under the names of the
/// outputs with `.part`, and a journal.
class MatrixFiles {
 public:
  /// Opens them. `request` is what the matrix is of, with its "edge" of tiles; if it is given, the matrix may be resumed. Throws
  /// `OutputError`, also where another run writes them.
  MatrixFiles(Outputs& outputs, const MatrixPaths& paths, const Tiling& tiling,
              const std::optional<nlohmann::json>& request);

  /// The tiles that are not done. Those that are done before are verified; what does not match its checksum is done again, which
  /// is said on standard error.
  std::vector<std::size_t> missing();

  /// Writes a tile and what is counted of it. Throws `OutputError`.
  void write(const Tile& tile, const TileValues& formed, const Statistics& statistics);

  /// What is counted of all tiles, those of runs before included.
  const Statistics& statistics() const { return statistics_; }

  /// To be called just before the outputs are renamed, and just after.
  void before_renaming() const;
  void after_renaming() const;

 private:
  std::vector<std::string> checksums(const Tile& tile) const;

  Tiling tiling_;
  std::string path_;
  std::vector<TiledMatrix> matrices_;  ///< the values, and if they are asked for, the bounds
  std::optional<Journal> journal_;
  Statistics statistics_;
};

}  // namespace octile::app::tiles
