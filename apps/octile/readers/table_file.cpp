// SPDX-License-Identifier: BSD-3-Clause
#include "readers/table_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "readers/read.hpp"
#include "readers/text.hpp"

namespace octile::app {

/// The field whose opening quote is the character `at`, which is moved behind the closing one.
std::string TableFile::quoted_field(std::size_t& at) {
  std::string field;
  for (++at;;) {
    const std::size_t quote = line_.find('"', at);
    field += line_.substr(at, quote - at);
    if (quote == std::string::npos) {
      field += '\n';
      at = 0;
      if (file_.next(line_)) continue;
      throw Error(fmt::format("{}: a field begins with a double quote that is not closed", place_));
    }
    at = quote + 1;
    if (at == line_.size() || line_[at] != '"') return field;
    field += '"';
    ++at;
  }
}

bool TableFile::next(std::vector<std::string>& fields) {
  fields.clear();
  do {
    if (!file_.next(line_)) return false;
  } while (trimmed(line_).empty());
  const auto has = [this](char byte) { return line_.find(byte) != std::string::npos; };
  if (std::exchange(first_, false) && separator_ == ',' && has(';') && !has(',')) separator_ = ';';
  place_ = file_.place();
  line_number_ = file_.line_number();
  for (std::size_t at = 0;; ++at) {
    if (at < line_.size() && line_[at] == '"') {
      fields.push_back(quoted_field(at));
      if (at < line_.size() && line_[at] != separator_) {
        throw RefusedGraph(fmt::format("{}: {} follows a closing quote; allowed is the end of the field", file_.place(),
                                       in_quotes(std::string_view(line_).substr(at))));
      }
    } else {
      const std::size_t end = std::min(line_.find(separator_, at), line_.size());
      fields.push_back(line_.substr(at, end - at));
      at = end;
    }
    if (at == line_.size()) return true;
  }
}

}  // namespace octile::app
