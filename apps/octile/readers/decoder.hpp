// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>

namespace octile::app {

/// Compressed data that is damaged; says how.
class DamagedData : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Decompresses a stream piece by piece.
class Decoder {
 public:
  Decoder& operator=(Decoder&&) = delete;  // neither copied nor moved
  virtual ~Decoder() = default;

  /// Writes to the front of `to`, which is not empty, and takes what it has read from the front of `from`. Returns the number of bytes
  /// written; 0 means that it needs more input. Throws `DamagedData`.
  virtual std::size_t decode(std::span<const char>& from, std::span<char> to) = 0;

  /// Whether the stream may end after what was decoded.
  virtual bool complete() const = 0;
};

/// gzip, by zlib. Defined in gzip.cpp.
std::unique_ptr<Decoder> gzip_decoder();
/// Zstandard, by libzstd. Defined in zstd.cpp.
std::unique_ptr<Decoder> zstd_decoder();

/// A way in which files are compressed.
struct Compression {
  std::string_view suffix;
  std::string_view name;
  std::string_view mark;               ///< the first bytes of compressed data
  std::string_view option;             ///< of CMake, which switches it on
  std::unique_ptr<Decoder> (*make)();  ///< null in a build without it
};

inline constexpr std::array compressions = {
    Compression{".gz", "gzip", "\x1F\x8B", "OCTILE_WITH_ZLIB",
#ifdef OCTILE_WITH_ZLIB
                gzip_decoder
#else
                nullptr
#endif
    },
    Compression{".zst", "zstd", "\x28\xB5\x2F\xFD", "OCTILE_WITH_ZSTD",
#ifdef OCTILE_WITH_ZSTD
                zstd_decoder
#else
                nullptr
#endif
    },
};

/// The path without the suffix of a compression.
constexpr std::string_view without_compression(std::string_view path) {
  for (const Compression& compression : compressions) {
    if (path.ends_with(compression.suffix)) return path.substr(0, path.size() - compression.suffix.size());
  }
  return path;
}

}  // namespace octile::app
