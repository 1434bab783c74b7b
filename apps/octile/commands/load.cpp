// SPDX-License-Identifier: BSD-3-Clause
#include "commands/load.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/warnings.hpp"
#include "output/progress.hpp"
#include "readers/text_file.hpp"
#include "readers/unify_labels.hpp"

namespace octile::app {

GraphFile load_graphs(const std::vector<std::string>& inputs, ReadOptions options, bool quiet, bool warns) {
  ProgressLine line(quiet);
  GraphFile set;
  std::string warning;
  PositionsLeftOut left_out;
  for (const std::string& path : input_files(inputs)) {
    options.on_graph = [&line, &path](std::size_t graphs) { line.reading(path, graphs); };
    options.on_left_out = [&left_out, &path](std::size_t atoms) { left_out.add(path, atoms); };
    GraphFile file = read_graph_file(path, options);
    if (warning.empty() && format_of(path, options.format).takes_any(Takes::rule)) {
      warning = unit_warning(file.graphs, options.rule);
      if (!warning.empty()) warning = fmt::format("{}: {}", shown(path), warning);
    }
    std::move(file.graphs.begin(), file.graphs.end(), std::back_inserter(set.graphs));
    std::move(file.sources.begin(), file.sources.end(), std::back_inserter(set.sources));
    std::move(file.skipped.begin(), file.skipped.end(), std::back_inserter(set.skipped));
  }
  if (set.graphs.empty()) {
    throw Error(fmt::format("{}: holds no valid graph; the first was refused: {}", fmt::join(inputs, ", "),
                            set.skipped.front()));
  }
  if (warns) {
    warn(warning);
    warn(left_out.warning());
  }
  unify_labels(set.graphs);
  return set;
}

}  // namespace octile::app
