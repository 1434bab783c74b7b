// SPDX-License-Identifier: BSD-3-Clause
#include "readers/read.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "readers/formats.hpp"

namespace octile::app {
namespace {

constexpr std::string_view compressed = ".gz";

const Format* find_format(std::string_view path) {
  if (path.ends_with(compressed)) path.remove_suffix(compressed.size());
  const auto found =
      std::ranges::find_if(formats(), [path](const Format& format) { return path.ends_with(format.suffix); });
  return found == formats().end() ? nullptr : &*found;
}

std::string allowed_formats() {
  std::string allowed;
  for (const Format& format : formats()) {
    allowed += fmt::format("{}{} ({})", allowed.empty() ? "" : ", ", format.suffix, format.description);
  }
  if (!reads_compressed()) return allowed;
  return fmt::format("{}, and each of them with {}", allowed, compressed);
}

std::vector<std::string> files_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code fault;
  for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code unreadable;
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || entry->is_directory(unreadable) || find_format(name) == nullptr) continue;
    files.push_back(entry->path().string());
  }
  if (fault) throw Error(fmt::format("{}: the folder cannot be read: {}", folder, fault.message()));
  if (files.empty()) {
    throw Error(fmt::format("{}: the folder holds no file that is read; allowed: {}", folder, allowed_formats()));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::span<const Format> formats() { return all_formats; }

bool reads_compressed() {
#ifdef OCTILE_WITH_ZLIB
  return true;
#else
  return false;
#endif
}

const Format& format_of(const std::string& path) {
  if (const Format* format = find_format(path)) return *format;
  throw Error(fmt::format("{}: the suffix says no format that is read; allowed: {}", path, allowed_formats()));
}

std::string known_suffixes() {
  std::string suffixes;
  for (const Format& format : formats()) suffixes += fmt::format("{}{}", suffixes.empty() ? "" : ", ", format.suffix);
  return suffixes;
}

std::vector<std::string> input_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code fault;
    if (std::filesystem::is_directory(input, fault)) {
      std::ranges::move(files_of_folder(input), std::back_inserter(files));
    } else {
      files.push_back(input);
    }
  }
  return files;
}

GraphFile read_graph_file(const std::string& path, const ReadOptions& options) {
  const GraphReader next = format_of(path).open(path, options.rule);
  GraphFile result;
  for (;;) {
    try {
      std::optional<Graph> graph = next();
      if (!graph) break;
      result.graphs.push_back(*std::move(graph));
    } catch (const RefusedGraph& refused) {
      if (!options.skip_invalid) throw;
      result.skipped.emplace_back(refused.what());
      continue;
    }
    if (options.on_graph) options.on_graph(result.graphs.size());
  }
  if (result.graphs.empty() && result.skipped.empty()) throw Error(fmt::format("{}: holds no graph", path));
  return result;
}

std::vector<Graph> read_graphs(const std::string& path, const SpatialRule& rule) {
  ReadOptions options;
  options.rule = rule;
  return read_graph_file(path, options).graphs;
}

}  // namespace octile::app
