// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "output/locked_file.hpp"
#include "tiles/journal.hpp"
#include "tiles/tiled_matrix.hpp"
#include "tiles/tiling.hpp"
#include "tiles/values.hpp"

namespace octile::app {

/// Writes tiles into the open files of a matrix: the values, and if they are asked for, the bounds.
class TileWriter {
 public:
  explicit TileWriter(const Tiling& tiling) : tiling_(tiling) {}

  /// The next file, which is open. Throws `OutputError`, which names the path.
  void add(int file, const std::string& path, Precision precision);
  /// Opens the next file by the name that it has now, where another process has it open. Throws `OutputError`, which
  /// names the path.
  void open(const std::string& name, const std::string& path, Precision precision);

  /// Returns the record of the tile, with checksums of what was written. Throws `OutputError`.
  TileRecord write(const Tile& tile, const TileValues& formed, const Statistics& statistics) const;

  /// The bytes that a tile takes in all files, with its mirror image.
  std::size_t bytes_of(const Tile& tile) const;

  /// The checksums of a tile as it stands in the files, one a file. Throws `OutputError`.
  std::vector<std::string> checksums(const Tile& tile) const;

  /// Numbers of a tile in a file, row by row. Throws `OutputError`.
  void read(std::size_t file, const Tile& tile, std::span<double> numbers) const;

  /// Flushes to the disk what this process has written into files that it opened. Throws `OutputError`.
  void flush() const;

 private:
  Tiling tiling_;
  std::vector<TiledMatrix> matrices_;
  std::vector<Descriptor> opened_;
};

}  // namespace octile::app
