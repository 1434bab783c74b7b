// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// What the name of a file ends with that is kept for the next run.
inline constexpr std::string_view kept_suffix = ".part";

inline std::string kept_name(const std::string& path) { return path + std::string(kept_suffix); }

/// The file that is kept of an output. The output may be a symbolic link.
std::string kept_file(const std::string& path);
/// Whether a file of an output is kept.
bool is_kept(const std::string& path);
/// Throws `OutputError` if a file of an output is kept, which a run that begins did not write.
void check_none_kept(const std::string& path);

/// The outputs of one run. All of them replace older ones, or none does. Another program that reads while they are replaced may
/// find some new and some old; another run of this program that writes into the same folder waits.
class Outputs {
 public:
  Outputs();
  Outputs& operator=(Outputs&&) = delete;  // neither copied nor moved
  /// Removes what was not committed.
  ~Outputs();

  /// Writes a temporary file beside `path`, and flushes it to the disk. It has the mode of the file that it will replace.
  /// Throws `OutputError`.
  void add(const std::string& path, const std::function<void(std::ostream&)>& write);

  /// Adds a temporary file beside `path`, which `write` fills by the name that it is given. Nothing else writes that
  /// file meanwhile. Throws `OutputError`.
  void add_by_name(const std::string& path, const std::function<void(const std::string& name)>& write);

  /// Whether a file that is not committed is there for the next run, and whether it may be there from a run before.
  enum class Lasting { removed, kept, kept_before };
  /// Whether `commit` renames a file that was opened, or removes it, since an output was made from it.
  enum class Purpose { output, scratch };

  /// Opens a file beside `path`, to be read and written by its descriptor until `commit`, which flushes it.
  ///
  /// - With a number of bytes it has that size, and its space is reserved where the file system can. Without one it grows by `append`.
  /// - A file that is kept is named `path` with `kept_suffix`, and locked.
  /// - Throws `OutputError`, also where another run has the lock, and where a file is there that is not kept from before.
  int open(const std::string& path, std::optional<std::size_t> bytes, Lasting lasting,
           Purpose purpose = Purpose::output);

  /// Keeps the first so many bytes of such a file, and writes behind them, onto the disk. Returns how many it has then. Throws `OutputError`.
  std::size_t append(int descriptor, std::size_t begin, const std::function<void(std::ostream&)>& write);

  /// The path that such a file has until then.
  std::string opened_name(int descriptor) const;

  /// Flushes to the disk what was opened, which `commit` does too. Throws `OutputError`.
  void flush();

  /// Renames all outputs to their paths, and then removes what was scratch. Where one cannot be renamed, those before it are taken
  /// back, and older files stand as before; a file system without hard links may not allow that. Throws `OutputError`, which says so.
  void commit();

 private:
  friend void check_output(const std::string& path);
  class Temporary;
  std::vector<std::unique_ptr<Temporary>> files_;
  std::vector<Temporary*> opened_;  ///< those by `open`
};

/// Writes one output completely or not at all. Throws `OutputError`.
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace octile::app
