// SPDX-License-Identifier: BSD-3-Clause
#include "readers/read.hpp"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "readers/decoder.hpp"
#include "readers/formats.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

const Format* find_format(std::string_view path) {
  path = without_compression(path);
  const auto found =
      std::ranges::find_if(formats(), [path](const Format& format) { return path.ends_with(format.suffix); });
  return found == formats().end() ? nullptr : &*found;
}

std::string allowed_formats() {
  std::string allowed;
  for (const Format& format : formats()) {
    allowed += fmt::format("{}{} ({})", allowed.empty() ? "" : ", ", format.suffix, format.description);
  }
  const std::vector<std::string_view> compressed = compressed_suffixes();
  if (compressed.empty()) return allowed;
  return fmt::format("{}, and each of them with {}", allowed, fmt::join(compressed, " or "));
}

std::vector<std::string> files_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::string table;
  std::error_code fault;
  for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::error_code unreadable;
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || entry->is_directory(unreadable)) continue;
    const Format* const format = find_format(name);
    if (format == nullptr) continue;
    const std::string path = entry->path().string();
    if (!format->not_in_folders) {
      files.push_back(path);
    } else if (table.empty() || path < table) {
      table = path;
    }
  }
  if (fault) throw Error(fmt::format("{}: the folder cannot be read: {}", folder, fault.message()));
  if (files.empty() && !table.empty()) {
    throw Error(fmt::format(
        "{}: the folder holds tables and .json files alone; allowed are these by their own names, such as {}", folder,
        table));
  }
  if (files.empty()) {
    throw Error(fmt::format("{}: the folder holds no file that is read; allowed: {}", folder, allowed_formats()));
  }
  std::ranges::sort(files);
  return files;
}

/// A message that quotes a library, or a list from a file, may be of any length and hold anything.
std::string bounded(std::string_view message, const std::string& path) {
  constexpr std::size_t longest = 400;
  const std::string place = shown(path);
  if (!message.starts_with(place)) return shortened(message, place.size() + longest);
  return place + shortened(message.substr(place.size()), longest);
}

GraphReader opened(const std::string& path, const ReadOptions& options) {
  const Format& format = format_of(path, options.format);
  try {
    return format.open(path, options);
  } catch (const Error& error) {
    throw Error(bounded(error.what(), path));
  }
}

bool is_pattern(const std::string& input) {
  std::error_code fault;
  return input.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(input, fault);
}

/// What a pattern matches, by name, as the shell puts it in place of one without quotes.
std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found = {};
  // A folder that is not there has no matches. One that cannot be read may have some.
  const auto ends_search = [](const char*, int fault) { return fault == ENOENT ? 0 : 1; };
  const int result = glob(pattern.c_str(), GLOB_NOSORT, ends_search, &found);
  std::vector<std::string> matches;
  if (result == 0) matches.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (result == GLOB_NOSPACE) throw std::bad_alloc();
  if (result == GLOB_ABORTED) {
    throw Error(fmt::format("{}: a folder that this pattern goes through cannot be read", shown(pattern)));
  }
  if (matches.empty()) {
    throw Error(
        fmt::format("{}: no file matches this pattern; allowed is the name of a file or a folder, or a pattern "
                    "of some that exist",
                    shown(pattern)));
  }
  std::ranges::sort(matches);
  return matches;
}

}  // namespace

std::span<const Format> formats() { return all_formats; }

std::vector<std::string_view> compressed_suffixes() {
  std::vector<std::string_view> suffixes;
  for (const Compression& compression : compressions) {
    if (compression.make != nullptr) suffixes.push_back(compression.suffix);
  }
  return suffixes;
}

const Format& format_of(const std::string& path, const std::string& suffix) {
  if (const Format* format = find_format(path == standard_input ? suffix : path)) return *format;
  throw Error(fmt::format("{}: the suffix says no format that is read; allowed: {}", path, allowed_formats()));
}

std::string too_many_vertices(std::size_t vertices, std::size_t most) {
  return fmt::format("has {}; --max-atoms allows {}", counted(vertices, "vertex", "vertices"), with_commas(most));
}

std::string known_suffixes() {
  std::string suffixes;
  for (const Format& format : formats()) suffixes += fmt::format("{}{}", suffixes.empty() ? "" : ", ", format.suffix);
  return suffixes;
}

std::vector<std::string> input_files(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    for (std::string& path : is_pattern(input) ? matches_of(input) : std::vector{input}) {
      std::error_code fault;
      if (path != standard_input && std::filesystem::is_directory(path, fault)) {
        std::ranges::move(files_of_folder(path), std::back_inserter(files));
      } else {
        files.push_back(std::move(path));
      }
    }
  }
  return files;
}

GraphFile read_graph_file(const std::string& path, const ReadOptions& options) {
  const GraphReader next = opened(path, options);
  GraphFile result;
  for (std::size_t number = 1;; ++number) {
    try {
      std::optional<ReadGraph> read = next();
      if (!read) break;
      Graph& graph = read->graph;
      const auto vertices = static_cast<std::size_t>(graph.vertex_count());
      if (vertices > options.max_vertices) {
        throw RefusedGraph(fmt::format("{}: graph {} {}", shown(path), in_quotes(graph.name()),
                                       too_many_vertices(vertices, options.max_vertices)));
      }
      result.graphs.push_back(std::move(graph));
      result.sources.push_back({path, number, read->line});
    } catch (const RefusedGraph& refused) {
      if (!options.skip_invalid) throw RefusedGraph(bounded(refused.what(), path));
      result.skipped.push_back(bounded(refused.what(), path));
      continue;
    } catch (const Error& error) {
      throw Error(bounded(error.what(), path));
    }
    if (options.on_graph) options.on_graph(result.graphs.size());
  }
  if (result.graphs.empty() && result.skipped.empty()) throw Error(fmt::format("{}: holds no graph", shown(path)));
  return result;
}

std::vector<Graph> read_graphs(const std::string& path, const SpatialRule& rule) {
  ReadOptions options;
  options.rule = rule;
  return read_graph_file(path, options).graphs;
}

}  // namespace octile::app
