// SPDX-License-Identifier: BSD-3-Clause
#include "commands/graph_choice.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "commands/load.hpp"
#include "output/failures.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

/// Splits a text into file and choice. Both may contain colons; the file is the shortest part that exists.
std::pair<std::string, std::string> split(const std::string& text) {
  const auto is_file = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
  };
  if (is_file(text)) return {text, ""};
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    if (is_file(text.substr(0, colon))) return {text.substr(0, colon), text.substr(colon + 1)};
  }
  throw UsageError(fmt::format("{}: there is no such file; a graph is chosen by FILE:NAME or FILE:#NUMBER", text));
}

std::size_t by_number(const std::vector<Graph>& graphs, std::string_view number, const std::string& text) {
  std::size_t k = 0;
  const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), k);
  if (fault != std::errc() || end != number.data() + number.size() || k < 1 || k > graphs.size()) {
    throw UsageError(fmt::format("{}: allowed is a number from #1 to #{}", text, graphs.size()));
  }
  return k - 1;
}

std::size_t by_name(const std::vector<Graph>& graphs, const std::string& file, const std::string& name) {
  const std::string by_line = fmt::format("{}:{}", std::filesystem::path(file).filename().string(), name);
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    if (graphs[k].name() == name || graphs[k].name() == by_line) found.push_back(k);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw UsageError(fmt::format("{}: none of its {} is named {}; the first is {}", file,
                                 counted(graphs.size(), "graph"), in_quotes(name), in_quotes(graphs.front().name())));
  }
  throw UsageError(fmt::format("{}: {} graphs are named {}; choose by number, such as {}:#{}", file, found.size(),
                               in_quotes(name), file, found.front() + 1));
}

}  // namespace

std::string chosen_file(const std::string& text) { return split(text).first; }

Graph choose_graph(const std::string& text, bool quiet, const ReadOptions& options) {
  const auto [file, choice] = split(text);
  std::vector<Graph> graphs = load_graphs({file}, options, quiet).graphs;
  if (choice.empty()) {
    if (graphs.size() == 1) return std::move(graphs.front());
    throw UsageError(fmt::format("{}: holds {} graphs; choose one, such as {}:#1 or {}:{}", file, graphs.size(), file,
                                 file, graphs.front().name()));
  }
  const std::size_t k = choice.front() == '#' ? by_number(graphs, std::string_view(choice).substr(1), text)
                                              : by_name(graphs, file, choice);
  return std::move(graphs[k]);
}

}  // namespace octile::app
