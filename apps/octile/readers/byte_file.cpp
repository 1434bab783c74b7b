// SPDX-License-Identifier: BSD-3-Clause
#include "readers/byte_file.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/read.hpp"
#include "readers/system_reason.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16U;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& path) {
  if (path == standard_input) return {stdin, [](std::FILE*) { return 0; }};  // not ours to close
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) throw Error(fmt::format("{}: is a folder, not a file", path));
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(fmt::format("{}: cannot be read: {}", path, system_reason(errno)));
  return {file, std::fclose};
}

}  // namespace

ByteFile::ByteFile(const std::string& path) : path_(shown(path)), file_(open(path)), buffer_(buffer_size) {
  fill(0);
  const std::string_view first(rest_.data(), rest_.size());
  const auto found =
      std::ranges::find_if(compressions, [first](const Compression& way) { return first.starts_with(way.mark); });
  if (found == compressions.end()) return;
  compression_ = &*found;
  if (compression_->make == nullptr) {
    throw Error(
        fmt::format("{}: is compressed with {}, which this build does not read; allowed is a plain file, or a "
                    "build with -D{}=ON",
                    path_, compression_->name, compression_->option));
  }
  decoder_ = compression_->make();
}

void ByteFile::fill(std::size_t line) {
  errno = 0;
  const std::size_t count = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
  if (std::ferror(file_.get()) != 0) {
    throw Error(fmt::format("{}: reading failed after line {}: {}", path_, line, system_reason(errno)));
  }
  at_end_ = count < buffer_.size();
  rest_ = std::span<const char>(buffer_).first(count);
}

std::size_t ByteFile::read(std::span<char> buffer, std::size_t line) {
  const auto damaged = [&](std::string_view how) {
    return Error(fmt::format("{}: the {} data is damaged after line {}: {}; allowed is a whole file", path_,
                             compression_->name, line, how));
  };
  for (;;) {
    if (rest_.empty() && !at_end_) fill(line);
    if (!decoder_) {
      const std::size_t count = std::min(rest_.size(), buffer.size());
      std::copy_n(rest_.begin(), count, buffer.begin());
      rest_ = rest_.subspan(count);
      return count;
    }
    try {
      const std::size_t count = decoder_->decode(rest_, buffer);
      decoded_ += count;
      if (decoded_ > most_decoded) {
        throw Error(fmt::format("{}: the {} data is of more than {} GiB after line {}; allowed is less", path_,
                                compression_->name, most_decoded >> 30U, line));
      }
      if (count > 0) return count;
    } catch (const DamagedData& how) {
      throw damaged(how.what());
    }
    if (!rest_.empty() || !at_end_) continue;
    if (!decoder_->complete()) throw damaged("it is cut off");
    return 0;
  }
}

}  // namespace octile::app
