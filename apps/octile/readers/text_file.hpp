// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "readers/byte_file.hpp"

namespace octile::app {

/// The lines of a text file, plain or compressed with gzip.
class TextFile {
 public:
  /// Opens it; throws `Error` for one that cannot be read.
  explicit TextFile(const std::string& path);

  /// The next line, without its end (or, before the first, a byte order mark); false after the last. Throws `Error`
  /// where reading fails or compressed data is damaged or cut off.
  bool next(std::string& line);

  const std::string& path() const { return path_; }
  /// Of the last line that was read, from 1; 0 before the first.
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
};

}  // namespace octile::app
