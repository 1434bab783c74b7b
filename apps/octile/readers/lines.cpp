// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "readers/formats.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {

GraphReader line_reader(const std::string& path, LineParser parse, const LineRules& rules) {
  const auto file = std::make_shared<TextFile>(path);
  const std::string base = file_name(path);
  return [file, base, rules, parse = std::move(parse), first = true]() mutable -> std::optional<Graph> {
    for (std::string text; file->next(text);) {
      const std::string_view line = trimmed(text);
      if (line.empty() || (rules.comments && line.front() == '#')) continue;
      if (std::exchange(first, false) && rules.is_header != nullptr && rules.is_header(line)) continue;
      try {
        return parse(line, fmt::format("{}:{}", base, file->line_number()));
      } catch (const Error& error) {
        throw RefusedGraph(fmt::format("{}: {}", file->place(), error.what()));
      }
    }
    return std::nullopt;
  };
}

}  // namespace octile::app
