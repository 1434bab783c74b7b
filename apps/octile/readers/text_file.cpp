// SPDX-License-Identifier: BSD-3-Clause
#include "readers/text_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include <octile/error.hpp>

namespace octile::app {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16U;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

gzFile open(const std::string& path) {
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) throw Error(fmt::format("{}: is a folder, not a file", path));
  errno = 0;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

TextFile::TextFile(const std::string& path) : path_(path), file_(open(path), gzclose), buffer_(buffer_size) {}

std::string TextFile::place() const { return fmt::format("{}:{}", path_, line_number_); }

bool TextFile::fill() {
  errno = 0;
  const int count = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  begin_ = 0;
  end_ = static_cast<std::size_t>(std::max(count, 0));
  if (count > 0) return true;
  // gzread returns 0 also at the end of a truncated file.
  int fault = Z_OK;
  const char* what = gzerror(file_.get(), &fault);
  if (fault == Z_OK || fault == Z_STREAM_END) return false;
  if (fault == Z_ERRNO) throw Error(fmt::format("{}: reading failed: {}", path_, std::strerror(errno)));
  throw Error(fmt::format("{}: the gzip data is damaged after line {}: {}; allowed is a whole file", path_,
                          line_number_, fault == Z_BUF_ERROR ? "it is cut off" : what));
}

bool TextFile::next(std::string& line) {
  line.clear();
  bool found = false;
  while (!found && (begin_ < end_ || fill())) {
    const auto first = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const auto last = buffer_.begin() + static_cast<std::ptrdiff_t>(end_);
    const auto newline = std::find(first, last, '\n');
    line.append(first, newline);
    found = newline != last;
    begin_ = static_cast<std::size_t>(newline - buffer_.begin()) + (found ? 1 : 0);
  }
  if (!found && line.empty()) return false;
  if (line.ends_with('\r')) line.pop_back();
  if (++line_number_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  return true;
}

}  // namespace octile::app
