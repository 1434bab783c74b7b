// SPDX-License-Identifier: BSD-3-Clause
#include "read.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "text.hpp"

namespace octile::app {
namespace {

const Format& format_of(const std::string& path) {
  std::string known;
  for (const Format& format : formats()) {
    if (path.ends_with(format.suffix)) return format;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", format.suffix, format.description);
  }
  throw Error(fmt::format("{}: the suffix says no format that is read; allowed: {}", path, known));
}

std::ifstream open(const std::string& path) {
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) throw Error(fmt::format("{}: is a folder, not a file", path));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

std::span<const Format> formats() {
  static constexpr std::array list = {
      Format{".smi", "SMILES, one molecule a line", true, smiles_parser},
      Format{".jsonl", "node-link JSON, one graph a line", false, node_link_parser},
  };
  return list;
}

GraphFile read_graph_file(const std::string& path, const ReadOptions& options) {
  const Format& format = format_of(path);
  std::ifstream file = open(path);
  const LineParser parse = format.parser();
  const std::string base = std::filesystem::path(path).filename().string();
  GraphFile result;
  std::string text;
  for (std::size_t number = 1; std::getline(file, text); ++number) {
    std::string_view line = text;
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);  // a byte order mark
    line = trimmed(line);
    if (line.empty() || (format.comments && line.front() == '#')) continue;
    try {
      result.graphs.push_back(parse(line, fmt::format("{}:{}", base, number)));
    } catch (const Error& error) {
      const std::string message = fmt::format("{}:{}: {}", path, number, error.what());
      if (!options.skip_invalid) throw Error(message);
      result.skipped.push_back(message);
      continue;
    }
    if (options.on_graph) options.on_graph(result.graphs.size());
  }
  if (file.bad()) throw Error(fmt::format("{}: reading failed: {}", path, std::strerror(errno)));
  if (result.graphs.empty()) {
    throw Error(result.skipped.empty()
                    ? fmt::format("{}: holds no graph", path)
                    : fmt::format("{}: holds no valid graph; the first was refused: {}", path, result.skipped.front()));
  }
  return result;
}

std::vector<Graph> read_graphs(const std::string& path) { return read_graph_file(path, {}).graphs; }

}  // namespace octile::app
