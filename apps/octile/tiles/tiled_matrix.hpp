// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "output/checksum.hpp"
#include "output/file.hpp"
#include "output/npy.hpp"
#include "tiles/tiling.hpp"

namespace octile::app {

/// A matrix in an open .npy file, written and read tile by tile. Of float32 the values that are given have to be such numbers.
class TiledMatrix {
 public:
  /// Opens an output for a matrix. Throws `OutputError`.
  static int open(Outputs& outputs, const std::string& path, std::size_t rows, std::size_t columns,
                  Outputs::Lasting lasting, Outputs::Purpose purpose, Precision precision);

  /// Writes the header into a file that `open` gave. Throws `OutputError`, which names the path.
  TiledMatrix(int file, std::string path, const Tiling& tiling, Precision precision);

  /// The bytes that a tile takes with its mirror image.
  std::size_t bytes_of(const Tile& tile) const {
    return tile.size() * bytes_of_number(precision_) * (tiling_.has_mirror(tile) ? 2 : 1);
  }

  /// Writes a tile, `values` row by row, and its mirror image if it has one. Throws `OutputError`.
  void write(const Tile& tile, std::span<const double> values) const;

  /// The checksum of a tile and its mirror image as they stand in the file. Those of all tiles add up to that of the
  /// matrix. Throws `OutputError` where the file cannot be read.
  PlacedChecksum checksum(const Tile& tile) const;
  /// The checksum of a tile and its mirror image, of values that are in memory.
  PlacedChecksum checksum(const Tile& tile, std::span<const double> values) const;

  /// Row by row, of the tile alone. It need not be one of the tiling.
  void read(const Tile& tile, std::span<double> values) const;

 private:
  std::uint64_t place(std::size_t row, std::size_t column) const {
    return std::uint64_t(row) * tiling_.columns() + column;
  }
  std::uint64_t offset(std::size_t row, std::size_t column) const;
  PlacedChecksum checksum_of_rows(const Tile& tile, std::span<const double> values) const;
  void write_row(std::size_t row, std::size_t column, std::span<const double> values) const;
  void read_row(std::size_t row, std::size_t column, std::span<double> values) const;

  std::string path_;
  Tiling tiling_;
  Precision precision_;
  std::uint64_t begin_;  ///< of the values
  int file_;
};

}  // namespace octile::app
