// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "readers/decoder.hpp"

namespace octile::app {

/// The most bytes of a compressed file, decompressed. A few KiB of it can stand for so much.
inline constexpr std::uint64_t most_decoded = std::uint64_t{1} << 36U;

/// The bytes of a file, decompressed where its first bytes say that it is compressed.
class ByteFile {
 public:
  /// Opens it; throws `Error` for one that cannot be read, or whose compression this build does not read.
  explicit ByteFile(const std::string& path);

  /// Reads some bytes to the front of `buffer`; their number, 0 at the end. Throws `Error` where reading fails or compressed data
  /// is damaged, cut off or too long, and names `line`, the last one that was read whole.
  std::size_t read(std::span<char> buffer, std::size_t line);

 private:
  void fill(std::size_t line);

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<char> buffer_;
  std::span<const char> rest_;  ///< of the buffer: what is not decoded yet
  bool at_end_ = false;         ///< of the file, not of the rest
  const Compression* compression_ = nullptr;
  std::unique_ptr<Decoder> decoder_;
  std::uint64_t decoded_ = 0;
};

}  // namespace octile::app
