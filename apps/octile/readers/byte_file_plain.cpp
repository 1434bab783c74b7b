// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/byte_file.hpp"

namespace octile::app {
namespace {

constexpr std::string_view gzip_mark = "\x1F\x8B";

std::FILE* open(const std::string& path) {
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) throw Error(fmt::format("{}: is a folder, not a file", path));
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

ByteFile::ByteFile(const std::string& path)
    : path_(path), file_(open(path), [](void* file) { return std::fclose(static_cast<std::FILE*>(file)); }) {}

std::size_t ByteFile::read(std::span<char> buffer, std::size_t line) {
  auto* const file = static_cast<std::FILE*>(file_.get());
  const bool first = std::ftell(file) == 0;
  errno = 0;
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file);
  if (std::ferror(file) != 0) {
    throw Error(fmt::format("{}: reading failed after line {}: {}", path_, line, std::strerror(errno)));
  }
  if (first && std::string_view(buffer.data(), count).starts_with(gzip_mark)) {
    throw Error(
        fmt::format("{}: is compressed with gzip, which this build does not read; allowed is a plain file, or a "
                    "build with -DOCTILE_WITH_ZLIB=ON",
                    path_));
  }
  return count;
}

}  // namespace octile::app
