// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "output/checksum.hpp"
#include "output/file.hpp"
#include "output/hdf5_matrix.hpp"
#include "output/matrix_names.hpp"
#include "tiles/journal.hpp"
#include "tiles/statistics.hpp"
#include "tiles/tiling.hpp"
#include "tiles/values.hpp"
#include "tiles/writer.hpp"

namespace octile::app {

/// The paths of a matrix, and of the bounds of its values, empty if these are not asked for.
struct MatrixPaths {
  std::string values;
  std::string errors;
  /// Whether the files are not renamed to these paths, but removed when an output is made from them.
  bool scratch = false;
  Precision written = Precision::float64;  ///< of the values; bounds are float64

  /// A file of each, the values first.
  struct File {
    std::string path;
    Precision precision;
  };
  std::vector<File> files() const;
};

/// The paths of --out and --errors. For --out K.h5 the tiles of both go to scratch files.
MatrixPaths matrix_paths(const std::string& out, const std::string& errors, Precision written = Precision::float64);

class MatrixFiles;

/// What is said of a matrix of which all tiles are written.
WrittenMatrix written_matrix(const MatrixFiles& files, const Summary& summary);

/// What was begun before this run: nothing, or a journal of the same request, which is locked from here on. To be asked before any
/// work, since it refuses what is not the same, and files that no journal belongs to. Brings back outputs that the run before had
/// renamed when it ended. Throws as `Journal` and `require_same` do, and `OutputError`.
std::optional<Journal> begun_before(const MatrixPaths& paths, const nlohmann::json& request);

/// The files of a matrix that is written tile by tile. If it may be resumed, they keep what is done: data under the names of the
/// outputs with `.part`, and a journal.
class MatrixFiles {
 public:
  /// Opens them. `request` is what the matrix is of, with its "edge" of tiles and what the solver chose; if it is given, the matrix
  /// may be resumed, from the journal of a run before if there is one. Throws `OutputError`, also where another run writes them,
  /// and as `require_same`.
  MatrixFiles(Outputs& outputs, const MatrixPaths& paths, const Tiling& tiling,
              const std::optional<nlohmann::json>& request, std::optional<Journal> before);

  /// The tiles that are not done. Those that are done before are verified; what does not match its checksum is done again, which
  /// is said on standard error.
  std::vector<std::size_t> missing();

  /// Writes the numbers of a tile alone, whose record goes to `add`. May be called by another thread than all else. Throws
  /// `OutputError`.
  TileRecord put(const Tile& tile, const TileValues& formed, const Statistics& statistics) const {
    return writer_.write(tile, formed, statistics);
  }
  std::size_t bytes_of(const Tile& tile) const { return writer_.bytes_of(tile); }
  /// Writes a tile and what is counted of it. Throws `OutputError`.
  void write(const Tile& tile, const TileValues& formed, const Statistics& statistics);
  /// Notes a tile that was put, or that another process wrote into `files()`. Throws `OutputError`.
  void add(const TileRecord& record);

  /// The names that the open files have now, in the order of the paths.
  const std::vector<std::string>& files() const { return files_; }

  /// What is counted of all tiles, those of runs before included.
  const Statistics& statistics() const { return statistics_; }

  /// The checksums of the matrix in each file, once all tiles are there.
  const std::vector<PlacedChecksum>& checksums() const { return sums_; }

  /// Numbers of a window row by row: values, or for 1 their bounds. Throws `OutputError`.
  void read(std::size_t file, const Window& window, std::span<double> numbers) const;

  /// To be called just before the outputs are renamed, and `after_renaming` just after.
  void before_renaming() const;
  void after_renaming() const;

 private:
  void count(const TileRecord& record);
  /// Whether files of a run before may be there.
  bool open_journal(const MatrixPaths& paths, const nlohmann::json& request);

  Tiling tiling_;
  std::string path_;
  TileWriter writer_;
  std::vector<std::string> files_;
  std::optional<Journal> journal_;
  Statistics statistics_;
  std::vector<PlacedChecksum> sums_;
};

}  // namespace octile::app
