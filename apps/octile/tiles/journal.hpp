// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "output/locked_file.hpp"
#include "tiles/statistics.hpp"

namespace octile::app {

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

/// Reads a line without its end; nothing at the end of the file. One that is longer than any is cut.
std::optional<std::string> next_line(std::istream& file);
/// Whether a file is empty, or holds the beginning of a first line and no more: of a document that begins with this key.
bool is_unfinished_line(const std::string& path, const std::string& key);

/// What a run that may be resumed has done, beside its output: `K.npy.journal` for `K.npy`. A text file, a JSON document a line
/// behind the checksum of its text: first what was asked for, then a record for each tile as it is done, at last `renaming` when all
/// data is on the disk. A line is written at once, so that a run that ends at any moment leaves whole lines but for the last.
/// Whoever has the journal has the outputs: it is locked from its opening until it is removed or the process ends. In memory is the
/// place of each record alone.
class Journal {
 public:
  /// The journal of the output of this path; nothing where none is there. Reads it. Lines that are damaged are left out
  /// and counted. Throws `OutputError` where it cannot be read or another run has it, and `Error` where it is no
  /// journal, or its first line is damaged.
  static std::optional<Journal> find(const std::string& output);
  /// The journal of the output of this path, an empty one if none is there. Throws as `find` does, and `OutputError`
  /// where it cannot be made.
  static Journal find_or_make(const std::string& output);

  const std::string& path() const { return path_; }
  /// What was asked for of the run that began it; null where none has.
  const nlohmann::json& request() const { return request_; }
  /// The last one of a tile. Throws `OutputError` where it cannot be read any more.
  std::optional<TileRecord> record(std::size_t tile) const;
  std::size_t damaged_lines() const { return damaged_; }
  /// Whether the run before had all data on the disk, and may have renamed outputs.
  bool was_renaming() const { return renaming_; }

  /// Makes it ready for lines: writes the first one, where there is none. Throws `OutputError`, as those below do.
  void begin(const nlohmann::json& request);
  void add(const TileRecord& record) const;
  void add_renaming() const;
  /// Removes it: the outputs are there.
  void remove() const;

 private:
  struct Place {
    std::size_t tile;
    std::uint64_t begin;
    std::size_t length;
  };

  Journal(std::string path, Descriptor file);
  void read();
  void read_line(std::string_view line, std::uint64_t begin);
  std::string text_at(std::uint64_t begin, std::size_t most) const;
  void write(std::string_view text) const;

  std::string path_;
  Descriptor file_;
  nlohmann::json request_;
  std::vector<Place> places_;  ///< of records, by tile
  std::size_t damaged_ = 0;
  bool renaming_ = false;
  bool torn_ = false;  ///< whether the last line has no end
};

}  // namespace octile::app
