// SPDX-License-Identifier: BSD-3-Clause
#include "readers/one_graph.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "readers/decoder.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

std::string stem_of(const std::string& path) {
  return std::filesystem::path(without_compression(file_name(path))).stem().string();
}

Graph graph_of(TextFile& file, const std::string& stem, const ReadOptions& options,
               const std::function<Atoms(TextFile&)>& parse) {
  try {
    const Atoms atoms = parse(file);
    Graph graph = graph_of_atoms(stem, atoms, options.rule);
    if (atoms.left_out > 0 && options.on_left_out) options.on_left_out(atoms.left_out);
    return graph;
  } catch (const RefusedGraph&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string_view all = error.what();
    const std::string_view what = trimmed(all.substr(0, all.find('\n')));
    // Messages of gemmi's CIF reader already have file and line.
    if (what.starts_with(file.path())) throw RefusedGraph(std::string(what));
    throw RefusedGraph(fmt::format("{}: {}", file.path(), what));
  }
}

}  // namespace

GraphReader one_graph(const std::string& path, const ReadOptions& options, std::function<Atoms(TextFile&)> parse) {
  const auto file = std::make_shared<TextFile>(path);
  return
      [file, options, stem = stem_of(path), parse = std::move(parse), done = false]() mutable -> std::optional<Graph> {
        if (std::exchange(done, true)) return std::nullopt;
        return graph_of(*file, stem, options, parse);
      };
}

}  // namespace octile::app
