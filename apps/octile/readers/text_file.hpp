// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "readers/byte_file.hpp"

namespace octile::app {

/// A path as messages show it: standard input by name.
std::string shown(const std::string& path);

/// The name of a file without its folders, for the names of its graphs; "stdin" for standard input.
std::string file_name(const std::string& path);

/// The most bytes of a line: more than any graph takes that is read within minutes, and no more than a small machine can hold.
inline constexpr std::size_t longest_line = std::size_t{1} << 28U;

/// The lines of a text file or of standard input, plain or compressed.
class TextFile {
 public:
  /// Opens a file. Throws `Error` if it cannot be read.
  explicit TextFile(const std::string& path);

  /// Reads the next line, without its line end, which is LF, CR LF or CR, and without a byte order mark before the first. Returns
  /// false after the last. Throws `Error` if reading fails, compressed data is damaged or truncated, or the line holds a NUL or is
  /// longer than `longest_line`.
  bool next(std::string& line);

  /// The path as messages show it.
  const std::string& path() const { return path_; }
  /// The number of the last line that was read, from 1; 0 before the first.
  std::size_t line_number() const { return line_number_; }
  /// "FILE:LINE" of the last line that was read.
  std::string place() const;

 private:
  bool fill();

  std::string path_;
  ByteFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t line_number_ = 0;
  bool after_return_ = false;  ///< whether the last line ended with a CR, to which an LF that follows belongs
};

}  // namespace octile::app
