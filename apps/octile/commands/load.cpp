// SPDX-License-Identifier: BSD-3-Clause
#include "commands/load.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interrupt.hpp"
#include "output/progress.hpp"
#include "readers/unify_labels.hpp"

namespace octile::app {

GraphFile load_graphs(const std::vector<std::string>& inputs, bool skip_invalid, bool quiet, const SpatialRule& rule) {
  ProgressLine line(quiet);
  GraphFile set;
  for (const std::string& path : input_files(inputs)) {
    ReadOptions options;
    options.skip_invalid = skip_invalid;
    options.rule = rule;
    options.on_graph = [&line, &path](std::size_t graphs) {
      throw_if_interrupted();
      line.reading(path, graphs);
    };
    GraphFile file = read_graph_file(path, options);
    std::move(file.graphs.begin(), file.graphs.end(), std::back_inserter(set.graphs));
    std::move(file.skipped.begin(), file.skipped.end(), std::back_inserter(set.skipped));
  }
  if (set.graphs.empty()) {
    throw Error(fmt::format("{}: holds no valid graph; the first was refused: {}", fmt::join(inputs, ", "),
                            set.skipped.front()));
  }
  unify_labels(set.graphs);
  return set;
}

}  // namespace octile::app
