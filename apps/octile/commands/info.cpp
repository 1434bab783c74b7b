// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands/attribute_range.hpp"
#include "commands/commands.hpp"
#include "commands/load.hpp"
#include "commands/own_threads.hpp"
#include "commands/proposal.hpp"
#include "commands/read_arguments.hpp"
#include "output/target_table.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

struct InfoArguments {
  std::vector<std::string> inputs;
  ReadArguments reading;
  bool quiet = false;
};

/// "2 min, 23 median, 222 max"; sorts the values.
template <class Number>
std::string spread(std::vector<Number>& values) {
  if (values.empty()) return "none";
  std::ranges::sort(values);
  const auto text = [](Number value) {
    if constexpr (std::is_floating_point_v<Number>) return fmt::format("{:.6g}", value);
    return fmt::format("{}", value);
  };
  return fmt::format("{} min, {} median, {} max", text(values.front()), text(values[values.size() / 2]),
                     text(values.back()));
}

/// What is counted over the set, except labels.
struct Counts {
  std::vector<std::int64_t> vertices;
  std::vector<std::int64_t> edges;
  std::vector<std::int64_t> degrees;
  std::vector<double> weights;
  std::size_t disconnected = 0;
  std::size_t without_edges = 0;
  std::size_t isolated = 0;
  std::size_t graphs_with_isolated = 0;
  std::size_t repeated_names = 0;
};

Counts count(const std::vector<Graph>& graphs) {
  Counts counts;
  std::unordered_set<std::string> names;
  for (const Graph& graph : graphs) {
    counts.vertices.push_back(graph.vertex_count());
    counts.edges.push_back(static_cast<std::int64_t>(graph.edge_count()));
    std::vector<std::int64_t> degrees(static_cast<std::size_t>(graph.vertex_count()), 0);
    for (const Edge& edge : graph.edges()) {
      ++degrees[static_cast<std::size_t>(edge.i)];
      ++degrees[static_cast<std::size_t>(edge.j)];
      counts.weights.push_back(edge.weight);
    }
    const auto isolated = static_cast<std::size_t>(std::ranges::count(degrees, 0));
    counts.isolated += isolated;
    counts.graphs_with_isolated += isolated > 0 ? 1 : 0;
    counts.degrees.insert(counts.degrees.end(), degrees.begin(), degrees.end());
    counts.without_edges += graph.edge_count() == 0 ? 1 : 0;
    counts.disconnected += std::ranges::max(graph.components()) > 0 ? 1 : 0;
    counts.repeated_names += names.insert(graph.name()).second ? 0 : 1;
  }
  return counts;
}

void print_attributes(const char* heading, const std::vector<Graph>& graphs,
                      const LabelColumns& (Graph::*columns)() const) {
  fmt::print("{}\n", heading);
  const std::vector<AttributeRange> ranges = attribute_ranges(graphs, columns);
  if (ranges.empty()) fmt::print("  none\n");
  for (const AttributeRange& range : ranges) {
    fmt::print("  {:<16} {:<14} {}", printable(range.attribute), range.type, range.values);
    if (range.graphs < graphs.size()) fmt::print("; only in {}", counted(range.graphs, "graph"));
    fmt::print("\n");
  }
}

void print_targets(const std::vector<Graph>& graphs) {
  const TargetTable targets = target_table(graphs);
  if (!targets.names.empty()) fmt::print("targets\n");
  for (std::size_t name = 0; name < targets.names.size(); ++name) {
    std::set<double> distinct;
    std::size_t known = 0;
    for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
      const double value = targets.at(graph, name);
      if (std::isnan(value)) continue;
      distinct.insert(value);
      ++known;
    }
    fmt::print("  {:<16} {:.6g} to {:.6g}, {} distinct{}\n", printable(targets.names[name]), *distinct.begin(),
               *distinct.rbegin(), with_commas(distinct.size()),
               known < graphs.size() ? fmt::format("; only in {}", counted(known, "graph")) : "");
  }
}

/// Whether a target is a quantity, and not a class: it has parts of whole numbers, or many values.
bool has_quantities(const std::vector<Graph>& graphs) {
  constexpr std::size_t most_classes = 32;
  std::map<std::string, std::set<double>> seen;
  for (const Graph& graph : graphs) {
    for (const auto& [name, value] : graph.targets()) {
      std::set<double>& values = seen[name];
      values.insert(value);
      if (value != std::floor(value) || values.size() > most_classes) return true;
    }
  }
  return false;
}

/// A command that goes on from here, as it can be pasted into a shell. `how` says how K depends on the sizes of graphs.
std::string next_command(const InfoArguments& arguments, const std::string& kernel, std::string_view how) {
  std::string command = "octile gram";
  for (const std::string& input : arguments.inputs) command += " " + shell_word(input);
  command += arguments.reading.text();
  if (arguments.reading.skip_invalid) command += " --skip-invalid";
  return fmt::format("{} {} {} --out K.npy", command, kernel, how);
}

void print_info(const GraphFile& set, const std::optional<SpatialRule>& rule) {
  Counts counts = count(set.graphs);
  fmt::print("graphs          {}\n", with_commas(set.graphs.size()));
  fmt::print("vertices        {}; {} in all\n", spread(counts.vertices), with_commas(counts.degrees.size()));
  fmt::print("edges           {}; {} in all\n", spread(counts.edges), with_commas(counts.weights.size()));
  if (rule)
    fmt::print("atoms joined    --cutoff {} --adjacency {} --images {}\n", rule->cutoff_text(), rule->adjacency_text(),
               rule->images_text());
  fmt::print("degrees         {}; {:.2f} mean\n", spread(counts.degrees),
             2.0 * static_cast<double>(counts.weights.size()) / static_cast<double>(counts.degrees.size()));
  fmt::print("weights         {}\n", spread(counts.weights));
  fmt::print("disconnected    {}\n", counted(counts.disconnected, "graph"));
  fmt::print("isolated        {} in {}; {} without an edge\n", counted(counts.isolated, "vertex", "vertices"),
             counted(counts.graphs_with_isolated, "graph"), counted(counts.without_edges, "graph"));
  if (counts.repeated_names > 0) fmt::print("repeated names  {}\n", with_commas(counts.repeated_names));
  print_attributes("vertex attributes", set.graphs, &Graph::vertex_labels);
  print_attributes("edge attributes", set.graphs, &Graph::edge_labels);
  fmt::print("records         {} of vertices and {} of edges differ, by all attributes\n",
             with_commas(distinct_records(set.graphs, &Graph::vertex_labels)),
             with_commas(distinct_records(set.graphs, &Graph::edge_labels)));
  print_targets(set.graphs);
  if (set.skipped.empty()) return;
  fmt::print("skipped: {}\n", with_commas(set.skipped.size()));
  for (const std::string& line : set.skipped) fmt::print("  {}\n", line);
}

}  // namespace

void add_info_command(CLI::App& program, ExitCode& exit_code) {
  CLI::App* command = program.add_subcommand("info", "Say what a set of graphs holds");
  const auto arguments = std::make_shared<InfoArguments>();
  arguments->reading.add_with_inputs_to(*command, arguments->inputs);
  command->add_flag("--quiet", arguments->quiet, "No progress");
  command->callback([arguments, &exit_code] {
    const std::optional<SpatialRule> rule = arguments->reading.rule_for(arguments->inputs);
    const ReadOptions reading = arguments->reading.options_for(arguments->inputs);
    const OwnThreads threads = own_threads(0);
    const GraphFile set = load_graphs(arguments->inputs, reading, arguments->quiet);
    print_info(set, rule);
    const std::string kernel = proposed_kernel(set.graphs);
    fmt::print("a kernel to try: {}\n", printable(next_command(*arguments, kernel, "--normalize")));
    if (has_quantities(set.graphs)) {
      fmt::print("if the targets grow with the graphs, as energies do: {}\n",
                 printable(next_command(*arguments, kernel, "--start ones")));
    }
    exit_code = exit_success;
  });
}

}  // namespace octile::app
