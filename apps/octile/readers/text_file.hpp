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
  /// Opens a file. Throws `Error` if it cannot be read.
  explicit TextFile(const std::string& path);

  /// Reads the next line, without its line end and without a byte order mark before the first. Returns false after the
  /// last. Throws `Error` if reading fails or compressed data is damaged or truncated.
  bool next(std::string& line);

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
};

}  // namespace octile::app
