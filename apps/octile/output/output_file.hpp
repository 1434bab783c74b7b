// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace octile::app {

/// Throws `OutputError` unless a file can be created in the folder of `path`, and
/// `path` does not exist or is a regular file. Leaves nothing behind. Call it before
/// long work.
void check_output(const std::string& path);

/// Throws `UsageError` where two of these outputs, by the options that name them, are one file, be it by another path, a
/// symbolic or a hard link. Empty paths are no outputs.
void check_distinct(const std::vector<std::pair<std::string, std::string>>& outputs);

/// The outputs of one run. All of them replace older ones, or none does. Another program that reads while they are replaced may
/// find some new and some old; another run of this program that writes into the same folder waits.
class Outputs {
 public:
  Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;
  /// Removes what was not committed.
  ~Outputs();

  /// Writes a temporary file beside `path`, and flushes it to the disk. It has the mode of the file that it will replace.
  /// Throws `OutputError`.
  void add(const std::string& path, const std::function<void(std::ostream&)>& write);

  /// Renames all to their paths. Throws `OutputError`.
  void commit();

 private:
  friend void check_output(const std::string& path);
  class Temporary;
  std::vector<std::unique_ptr<Temporary>> files_;
};

/// Writes one output completely or not at all. Throws `OutputError`.
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace octile::app
