// SPDX-License-Identifier: BSD-3-Clause
#include "readers/text_file.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace octile::app {
namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16U;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

TextFile::TextFile(const std::string& path) : path_(path), file_(path), buffer_(buffer_size) {}

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
