// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/byte_file.hpp"

namespace octile::app {
namespace {

gzFile open(const std::string& path) {
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) throw Error(fmt::format("{}: is a folder, not a file", path));
  errno = 0;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

ByteFile::ByteFile(const std::string& path)
    : path_(path), file_(open(path), [](void* file) { return gzclose(static_cast<gzFile>(file)); }) {}

std::size_t ByteFile::read(std::span<char> buffer, std::size_t line) {
  const auto file = static_cast<gzFile>(file_.get());
  errno = 0;
  const int count = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
  if (count > 0) return static_cast<std::size_t>(count);
  // At the end of a file that was cut off gzread returns 0 too.
  int fault = Z_OK;
  const char* what = gzerror(file, &fault);
  if (fault == Z_OK || fault == Z_STREAM_END) return 0;
  if (fault == Z_ERRNO) throw Error(fmt::format("{}: reading failed: {}", path_, std::strerror(errno)));
  throw Error(fmt::format("{}: the gzip data is damaged after line {}: {}; allowed is a whole file", path_, line,
                          fault == Z_BUF_ERROR ? "it is cut off" : what));
}

}  // namespace octile::app
