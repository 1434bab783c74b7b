// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "output/file.hpp"
#include "tiles/nearest.hpp"
#include "tiles/statistics.hpp"
#include "tiles/tiling.hpp"

namespace octile::app {

/// Pairs and products of a search in which pairs stop early.
struct SearchCounts {
  std::size_t pairs = 0;     ///< solved roughly
  std::size_t finished = 0;  ///< of these, solved to the end
  double rough_products = 0;
  double finished_products = 0;
};

/// What is done of a search for the nearest columns: all tiles before `next`.
struct TopDone {
  std::size_t next = 0;
  Statistics statistics;
  SearchCounts search;
};

/// The key that says, of what was asked for, whether pairs stop early.
inline constexpr const char* stops_early_key = "pairs stop early";

/// Reads what a search has left in a file: a line as those of a journal with what was asked for, then for each group of tiles that was
/// done a line with the tile that follows and what was counted, and behind it those neighbours that rows got from its tiles, 32 bytes each,
/// little-endian. Each line names the checksum of the line before it, so that none is missing, nor there twice.
class TopFileReader {
 public:
  /// Reads the first line, if it is whole. Throws `Error` that names the file where it is another.
  explicit TopFileReader(std::string path);

  /// What was asked for; null where nothing was begun.
  const nlohmann::json& request() const { return request_; }
  /// Adds the neighbours of all groups that are whole.
  TopDone replay(Nearest& nearest);
  /// The bytes up to the end of the last of them, or of the first line.
  std::size_t bytes() const { return bytes_; }
  /// The checksum of the last line up to there.
  const std::string& last() const { return last_; }

 private:
  bool read_group(Nearest& nearest, TopDone& done);

  std::string path_;
  std::ifstream file_;
  nlohmann::json request_;
  std::uintmax_t size_ = 0;
  std::size_t bytes_ = 0;
  std::string last_;
};

/// The file of a search that may be resumed, beside its output and locked (`Outputs::open`). It is removed when the outputs are there.
class TopFile {
 public:
  /// Opens it, or makes one. Throws `OutputError`, and `Error` as the reader does.
  TopFile(Outputs& outputs, const std::string& output);

  const nlohmann::json& request() const { return reader_->request(); }
  /// Writes the first line. Throws `OutputError`, as `add` does.
  void begin(const nlohmann::json& request);
  TopDone replay(Nearest& nearest);
  /// Writes a group of tiles: its statistics alone, and the counts of all groups. `nearest` has its neighbours among those of the others.
  void add(const TopDone& group, std::span<const Tile> tiles, const Nearest& nearest);

 private:
  Outputs& outputs_;
  int file_;
  std::optional<TopFileReader> reader_;
  std::size_t bytes_ = 0;
  std::string last_;
};

}  // namespace octile::app
