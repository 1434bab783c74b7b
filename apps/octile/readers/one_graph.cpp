// SPDX-License-Identifier: BSD-3-Clause
#include "readers/one_graph.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "readers/decoder.hpp"
#include "readers/text.hpp"

namespace octile::app {

std::string stem_of(const std::string& path) {
  return std::filesystem::path(without_compression(file_name(path))).stem().string();
}

Graph told_graph(std::string name, const Atoms& atoms, const ReadOptions& options) {
  Graph graph = graph_of_atoms(std::move(name), atoms, options.rule);
  if (atoms.left_out > 0 && options.on_left_out) options.on_left_out(atoms.left_out);
  return graph;
}

std::string placed_reason(std::string_view place, std::string_view message) {
  const std::string_view what = trimmed(message.substr(0, message.find('\n')));
  return what.starts_with(place) ? std::string(what) : fmt::format("{}: {}", place, what);
}

GraphReader one_graph(const std::string& path, const ReadOptions& options, std::function<Atoms(TextFile&)> parse) {
  const auto file = std::make_shared<TextFile>(path);
  return [file, options, stem = stem_of(path), parse = std::move(parse),
          done = false]() mutable -> std::optional<ReadGraph> {
    if (std::exchange(done, true)) return std::nullopt;
    return ReadGraph{as_refusal(file->path(), [&] { return told_graph(stem, parse(*file), options); })};
  };
}

}  // namespace octile::app
