// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <fstream>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "output/matrix_names.hpp"
#include "tiles/journal.hpp"
#include "tiles/tiling.hpp"
#include "tiles/values.hpp"

namespace octile::app {

/// Some tiles of a matrix that several jobs solve, in a file that is complete by itself: a line as those of a journal with what is asked for,
/// then for each tile its record in such a line, and behind it its values, and the bounds if they are asked for, little-endian.
struct PartHeader {
  nlohmann::json request;  ///< with "edge", the size of the tiles
  std::string names;       ///< the document that stands beside the matrix
  std::size_t begin = 0;   ///< its tiles, by number
  std::size_t end = 0;

  /// The tiles of the matrix.
  Tiling tiling() const;
  bool errors() const;
};

/// The document that stands beside the merged matrix of this path: that of the first part, and "parts", what the documents of all parts
/// say of their jobs. There is a path for each part. `precision` is that of the matrix, whatever that of the parts.
std::string names_of(std::span<const PartHeader> parts, std::span<const std::string> paths, const std::string& matrix,
                     const WrittenMatrix& written, Precision precision);

void write_part_header(std::ostream& file, const PartHeader& header);
void write_part_tile(std::ostream& file, const Tile& tile, const TileValues& formed, bool errors,
                     const Statistics& statistics);

/// Reads a part. Throws `Error` that names the file where it is none, is damaged, or ends too early.
class PartReader {
 public:
  explicit PartReader(const std::string& path);

  const PartHeader& header() const { return header_; }

  /// A tile with what was counted of it.
  struct Part {
    Tile tile;
    TileValues formed;
    Statistics statistics;
  };
  /// The next tile; nothing at the end, where all tiles of the header were there.
  std::optional<Part> next();

  /// The bytes that are read.
  std::size_t position();

 private:
  [[noreturn]] void refuse(const std::string& what) const;
  nlohmann::json read_line();
  UninitializedVector<double> read_values(std::size_t count);

  std::string path_;
  std::ifstream file_;
  PartHeader header_;
  std::size_t next_ = 0;
};

/// What a run that ended early has written of a part: whole tiles, up to the first one that is damaged or not there.
struct BegunPart {
  PartHeader header;
  std::size_t next = 0;   ///< the first tile that is to be solved
  Statistics statistics;  ///< of those before it
  std::size_t bytes = 0;  ///< up to it
};

/// Reads it. Nothing where the run ended in the first line. Throws `Error` that names the file where it is no part.
std::optional<BegunPart> begun_part(const std::string& path);

}  // namespace octile::app
