// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <readers/read.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/message_of.hpp"
#include "common/temporary_folder.hpp"

namespace octile::test {

/// The graphs of a file of this name and text.
inline std::vector<Graph> graphs_of(std::string_view name, std::string_view text,
                                    const app::ReadOptions& options = {}) {
  const TemporaryFolder folder;
  return app::read_graph_file(folder.write(name, text), options).graphs;
}

/// What reading such a file is refused with, from the file's name on.
inline std::string refusal(std::string_view name, std::string_view text, const app::ReadOptions& options = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.write(name, text);
  std::string message = message_of([&] { app::read_graph_file(path, options); });
  if (message.starts_with(folder.path())) message.erase(0, folder.path().size() + 1);
  return message;
}

inline std::vector<std::string> names_of(const std::vector<Graph>& graphs) {
  std::vector<std::string> names;
  names.reserve(graphs.size());
  for (const Graph& graph : graphs) names.push_back(graph.name());
  return names;
}

/// Whether two graphs are equal in all, but for their names.
inline bool equal_but_for_names(const Graph& a, const Graph& b) {
  const auto equal = [](const Edge& e, const Edge& f) { return e.i == f.i && e.j == f.j && e.weight == f.weight; };
  return a.vertex_count() == b.vertex_count() && std::ranges::equal(a.edges(), b.edges(), equal) &&
         a.vertex_labels() == b.vertex_labels() && a.edge_labels() == b.edge_labels() && a.targets() == b.targets();
}

}  // namespace octile::test
