// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "readers/formats.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {

GraphReader line_reader(const std::string& path, LineParser parse, bool comments) {
  const auto file = std::make_shared<TextFile>(path);
  const std::string base = std::filesystem::path(path).filename().string();
  return [file, base, comments, parse = std::move(parse)]() -> std::optional<Graph> {
    for (std::string text; file->next(text);) {
      const std::string_view line = trimmed(text);
      if (line.empty() || (comments && line.front() == '#')) continue;
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
