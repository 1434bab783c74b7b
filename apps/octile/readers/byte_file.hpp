// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace octile::app {

/// The bytes of a file, decompressed where it is compressed with gzip. A build without zlib (byte_file_plain.cpp) refuses such a file.
class ByteFile {
 public:
  /// Opens it; throws `Error` for one that cannot be read.
  explicit ByteFile(const std::string& path);

  /// Reads some bytes to the front of `buffer`; their number, 0 at the end. Throws `Error` where reading fails or compressed data
  /// is damaged or cut off, and names `line`, the last one that was read whole.
  std::size_t read(std::span<char> buffer, std::size_t line);

 private:
  std::string path_;
  std::unique_ptr<void, int (*)(void*)> file_;
};

}  // namespace octile::app
