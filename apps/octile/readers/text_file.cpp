// SPDX-License-Identifier: BSD-3-Clause
#include "readers/text_file.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "readers/read.hpp"

namespace octile::app {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16U;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

std::string shown(const std::string& path) { return path == standard_input ? "standard input" : path; }

std::string file_name(const std::string& path) {
  return path == standard_input ? "stdin" : std::filesystem::path(path).filename().string();
}

TextFile::TextFile(const std::string& path) : path_(shown(path)), file_(path), buffer_(buffer_size) {}

std::string TextFile::place() const { return fmt::format("{}:{}", path_, line_number_); }

bool TextFile::fill() {
  begin_ = 0;
  end_ = file_.read(buffer_, line_number_);
  return end_ > 0;
}

bool TextFile::next(std::string& line) {
  line.clear();
  bool found = false;
  while (!found && (begin_ < end_ || fill())) {
    if (std::exchange(after_return_, false) && buffer_[begin_] == '\n') {
      ++begin_;
      continue;
    }
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::string_view to_newline = rest.substr(0, rest.find('\n'));
    const std::size_t length = to_newline.substr(0, to_newline.find('\r')).size();
    found = length < rest.size();
    after_return_ = found && rest[length] == '\r';
    line.append(rest.substr(0, length));
    begin_ += length + (found ? 1 : 0);
    if (line.size() > longest_line) {
      throw Error(fmt::format("{}:{}: is longer than {} MiB; allowed are shorter lines", path_, line_number_ + 1,
                              longest_line >> 20U));
    }
  }
  if (!found && line.empty()) return false;
  if (++line_number_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  if (line.find('\0') != std::string::npos) {
    throw Error(fmt::format("{}: holds a byte 0, which is in no text; allowed is UTF-8, not UTF-16", place()));
  }
  return true;
}

}  // namespace octile::app
