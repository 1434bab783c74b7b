// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tiles/statistics.hpp"

namespace octile::app::tiles {

/// A tile that is done: the checksum of its data in each file, and what its pairs add to the summary.
struct TileRecord {
  std::size_t tile = 0;
  std::vector<std::string> checksums;
  Statistics statistics;

  nlohmann::json to_json() const;
  /// Throws nlohmann's exceptions where the text is another.
  static TileRecord from_json(const nlohmann::json& document);
};

/// A line: the checksum of the document's text as 16 hexadecimal digits, a blank, the text, a line end.
std::string journal_line(const nlohmann::json& document);
/// The document of a line without its end; a discarded value where it is damaged.
nlohmann::json document_of_line(std::string_view line);

/// What a run that may be resumed has done, beside its output: `K.npy.journal` for `K.npy`. A text file, a JSON document a line
/// behind the checksum of its text: first what was asked for, then a record for each tile as it is done, at last `renaming` when all
/// data is on the disk. A line is written at once, so that a run that ends at any moment leaves whole lines but for the last.
class Journal {
 public:
  /// Of the output of this path. Reads what is there; lines that are damaged are left out and counted. Throws `OutputError` where
  /// it cannot be read, and `Error` where it is no journal, or its first line is damaged.
  explicit Journal(const std::string& output);

  const std::string& path() const { return path_; }
  /// What was asked for of the run that began it; null where there is none.
  const nlohmann::json& request() const { return request_; }
  /// By tile, the last one of each.
  const std::map<std::size_t, TileRecord>& records() const { return records_; }
  std::size_t damaged_lines() const { return damaged_; }
  /// Whether the run before had all data on the disk, and may have renamed outputs.
  bool was_renaming() const { return renaming_; }

  /// Writes the first line, where there is none. Throws `OutputError`, as those below do.
  void begin(const nlohmann::json& request);
  void add(const TileRecord& record) const;
  void add_renaming() const;
  /// Removes it: the outputs are there.
  void remove() const;

 private:
  void read();
  void read_line(std::string_view line, bool first);
  void write(const nlohmann::json& document) const;

  std::string path_;
  nlohmann::json request_;
  std::map<std::size_t, TileRecord> records_;
  std::size_t damaged_ = 0;
  bool renaming_ = false;
  bool torn_ = false;  ///< whether the last line has no end
};

}  // namespace octile::app::tiles
