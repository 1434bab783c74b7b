// SPDX-License-Identifier: BSD-3-Clause
#include "output/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/base/bytes.hpp>
#include <octile/base/parallel_join.hpp>
#include <octile/version.hpp>

#include "output/iterations.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

constexpr std::size_t most_listed = 20;

/// JSON has no NaN: a pair that broke down has the value null.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json selection_json(const Selection& selection) {
  nlohmann::ordered_json document;
  document["kind"] = selection_name(selection.kind);
  document["shape"] = selection.shape;
  if (selection.kind == Selection::Kind::rectangle) {
    // Rows are the first graphs of all, columns the others.
    document["rows"] = {{"first", 0}, {"count", selection.shape[0]}};
    document["columns"] = {{"first", selection.shape[0]}, {"count", selection.shape[1]}};
  }
  if (selection.kind == Selection::Kind::list) {
    document["pairs"] = nlohmann::ordered_json::array();
    for (const Pair pair : selection.pairs) document["pairs"].push_back({pair.first, pair.second});
  }
  return document;
}

/// All of a summary that does not depend on which pairs there are.
Summary counts_of(std::span<const PairResult> results, SolveFacts facts) {
  Summary summary;
  summary.pairs = results.size();
  summary.pairs_per_second = static_cast<double>(summary.pairs) / facts.solve_seconds;
  summary.facts = std::move(facts);
  const Iterations iterations = iterations_of(results);
  summary.fewest_iterations = iterations.fewest;
  summary.median_iterations = iterations.median;
  summary.most_iterations = iterations.most;
  return summary;
}

nlohmann::ordered_json request_json(const Request& request, const SolveFacts& result) {
  nlohmann::ordered_json document;
  document["octile"] = OCTILE_VERSION_STRING;
  document["inputs"] = request.inputs;
  if (request.rule) {
    if (request.rule->unit == CutoffUnit::angstrom) {
      document["cutoff"] = request.rule->cutoff;
    } else {
      document["cutoff"] = request.rule->cutoff_text();
    }
    document["adjacency"] = request.rule->adjacency_text();
    document["images"] = request.rule->images_text();
  }
  if (request.atoms != nullptr && !request.atoms->takes_all()) document["atoms_taken"] = request.atoms->text();
  if (request.molecules != nullptr) {
    document["features"] = request.molecules->features;
    document["explicit_hydrogens"] = request.molecules->explicit_hydrogens;
  }
  document["kernel"] = {{"vertex", request.kernel->vertex.text()},
                        {"edge", request.kernel->edge.text()},
                        {"stopping", request.kernel->stopping.to_string()}};
  document["backend"] = backend_name(request.options->backend);
  document["primitive"] = request.options->primitive.name();
  document["order"] = {{"asked", reorder::find_order(request.options->order).name},
                       {"used", reorder::find_order(result.order.id).name},
                       {"natural_tiles", result.order.natural_tiles},
                       {"tiles", result.order.tiles},
                       {"seconds", result.order.seconds}};
  document["memory"] = request.options->memory;
  document["solver"] = result.description;
  document["precision"] = request.options->precision ? scalar_name(*request.options->precision) : "auto";
  if (request.options->accuracy) {
    document["accuracy"] = request.options->accuracy->to_string();
  } else {
    document["tolerance"] = request.options->solve.tolerance;
  }
  document["start"] = request.start;
  document["lmin"] = request.kernel->shortest_walk;
  document["max_iterations"] = request.options->solve.max_iterations;
  document["normalized"] = request.options->normalize;
  if (!request.parameters.empty()) document["parameters"] = nlohmann::ordered_json::array();
  for (const Parameter& parameter : request.parameters) {
    document["parameters"].push_back({{"name", parameter.name}, {"value", parameter.value}});
  }
  if (request.selection != nullptr) document["selection"] = selection_json(*request.selection);
  return document;
}

/// Names come from files that may not be UTF-8. Invalid bytes are replaced, so that they do not make the whole run fail.
std::string dumped(const nlohmann::ordered_json& document) {
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Summary summarize(const GramResult& result, bool normalized) {
  Summary summary = counts_of(result.pairs, {result.size, result.refined, result.order, result.setup_seconds,
                                             result.solve_seconds, result.description});
  constexpr std::size_t rows_at_once = 16;
  using Pairs = std::vector<Unconverged>;
  const auto of_rows = [&](std::size_t begin, std::size_t end) {
    Pairs found;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = i; j < result.size; ++j) {
        const PairResult& pair = result.pairs[pair_index(i, j, result.size)];
        if (pair.status != Status::converged) found.push_back({i, j, pair});
      }
    }
    return found;
  };
  const auto join = [](Pairs& all, const Pairs& found) { all.insert(all.end(), found.begin(), found.end()); };
  summary.unconverged = joined_in_parallel(result.size, rows_at_once, Pairs(), of_rows, join);
  std::ranges::sort(summary.unconverged, {}, [](const Unconverged& one) { return std::pair(one.first, one.second); });
  summary.largest_error = largest_error(result, normalized);
  return summary;
}

Summary summarize(std::span<const PairResult> results, std::span<const Pair> pairs,
                  std::span<const double> error_bounds, SolveFacts facts) {
  Summary summary = counts_of(results, std::move(facts));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (results[k].status == Status::converged) continue;
    summary.unconverged.push_back(
        {static_cast<std::size_t>(pairs[k].first), static_cast<std::size_t>(pairs[k].second), results[k]});
  }
  for (const double bound : error_bounds) summary.largest_error = std::max(summary.largest_error, bound);
  return summary;
}

void print_summary(const Summary& summary, const std::vector<std::string>& names,
                   const std::vector<std::string>& skipped) {
  const SolveFacts& result = summary.facts;
  fmt::print("{} of {} in {}: {} pairs/s (set up in {})\n", counted(summary.pairs, "pair"),
             counted(result.graphs, "graph"), duration(result.solve_seconds), rate(summary.pairs_per_second),
             duration(result.setup_seconds));
  if (result.order.id != reorder::OrderId::natural) {
    fmt::print("order {}: {} octiles instead of {}, in {}\n", reorder::find_order(result.order.id).name,
               with_commas(static_cast<std::size_t>(result.order.tiles)),
               with_commas(static_cast<std::size_t>(result.order.natural_tiles)), duration(result.order.seconds));
  }
  fmt::print("iterations: {} min, {} median, {} max\n", summary.fewest_iterations, summary.median_iterations,
             summary.most_iterations);
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    const SolveFacts::Rank& one = result.ranks[rank];
    fmt::print("rank {}: {}, read for {}, set up for {}, solved for {}, wrote {} for {}, idle for {}\n", rank,
               counted(one.tiles, "tile"), duration(one.read_seconds), duration(one.setup_seconds),
               duration(one.solve_seconds), format_bytes(one.bytes), duration(one.write_seconds),
               duration(one.idle_seconds));
  }
  if (summary.stops && summary.stops->pairs > 0) {
    fmt::print("stopped early: {}, {} products instead of about {}\n", counted(summary.stops->pairs, "pair"),
               with_commas(static_cast<std::size_t>(summary.stops->products)),
               with_commas(static_cast<std::size_t>(summary.stops->products_of_all)));
  } else if (summary.stops) {
    fmt::print("stopped early: none\n");
  }
  if (result.refined > 0) fmt::print("solved again: {}\n", counted(result.refined, "pair"));
  fmt::print("largest relative error, at most: {:.1e}\n", summary.largest_error);
  // Prints how many there are, and the first of those that are known one by one; of the others only their number is
  // known.
  const auto list = [](const char* what, std::size_t known, std::size_t others, const auto& print_one) {
    const std::size_t count = known + others;
    const std::size_t shown = std::min(known, most_listed);
    fmt::print("{}: {}\n", what, count == 0 ? "none" : with_commas(count));
    for (std::size_t k = 0; k < shown; ++k) print_one(k);
    if (known > shown) fmt::print("  and {} more (--summary FILE lists all)\n", with_commas(known - shown));
    if (others > 0) fmt::print("  and {} that are not listed one by one\n", with_commas(others));
  };
  list("unconverged pairs", summary.unconverged.size(), summary.unlisted, [&](std::size_t k) {
    const Unconverged& pair = summary.unconverged[k];
    fmt::print("  {} - {}: {} after {}, relative residual {:.1e}, error at most {:.1e}\n", printable(names[pair.first]),
               printable(names[pair.second]), status_name(pair.result.status),
               counted(static_cast<std::size_t>(pair.result.iterations), "iteration"), pair.result.residual,
               pair.result.error_bound);
  });
  if (skipped.empty()) return;
  list("skipped", skipped.size(), 0, [&](std::size_t k) { fmt::print("  {}\n", printable(skipped[k])); });
}

std::string summary_json(const Summary& summary, const std::vector<std::string>& names,
                         const std::vector<std::string>& skipped, const Request& request, const MatrixNames* matrix) {
  const SolveFacts& result = summary.facts;
  nlohmann::ordered_json document = request_json(request, result);
  document["pairs"] = summary.pairs;
  document["read_seconds"] = result.read_seconds;
  document["setup_seconds"] = result.setup_seconds;
  document["solve_seconds"] = result.solve_seconds;
  document["write_seconds"] = result.write_seconds;
  document["pairs_per_second"] = number(summary.pairs_per_second);
  for (const SolveFacts::Rank& rank : result.ranks) {
    document["ranks"].push_back({{"tiles", rank.tiles},
                                 {"read_seconds", rank.read_seconds},
                                 {"setup_seconds", rank.setup_seconds},
                                 {"solve_seconds", rank.solve_seconds},
                                 {"write_seconds", rank.write_seconds},
                                 {"idle_seconds", rank.idle_seconds},
                                 {"bytes", rank.bytes}});
  }
  document["iterations"] = {
      {"min", summary.fewest_iterations}, {"median", summary.median_iterations}, {"max", summary.most_iterations}};
  if (summary.stops) {
    document["stopped_early"] = {{"pairs", summary.stops->pairs},
                                 {"products", std::round(summary.stops->products)},
                                 {"products_of_all", std::round(summary.stops->products_of_all)}};
  }
  document["largest_error"] = number(summary.largest_error);
  document["refined_in_float64"] = result.refined;
  document["unconverged"] = nlohmann::ordered_json::array();
  for (const Unconverged& pair : summary.unconverged) {
    document["unconverged"].push_back({{"first", pair.first},
                                       {"second", pair.second},
                                       {"names", {names[pair.first], names[pair.second]}},
                                       {"status", status_name(pair.result.status)},
                                       {"iterations", pair.result.iterations},
                                       {"residual", number(pair.result.residual)},
                                       {"error", number(pair.result.error_bound)}});
  }
  if (summary.unlisted > 0) document["unconverged_not_listed"] = summary.unlisted;
  document["skipped"] = skipped;
  document["graphs"] = names;
  const TargetTable& targets = *request.targets;
  for (std::size_t k = 0; k < targets.names.size(); ++k) {
    nlohmann::ordered_json& values = document["targets"][targets.names[k]];
    for (std::size_t graph = 0; graph < names.size(); ++graph) values.push_back(number(targets.at(graph, k)));
  }
  if (matrix != nullptr) add_names(document, *matrix, result);
  return dumped(document);
}

std::string names_json(const Request& request, const SolveFacts& facts, const MatrixNames& matrix) {
  nlohmann::ordered_json document = request_json(request, facts);
  // Without times: the same run writes the same text twice.
  document["order"].erase("seconds");
  add_names(document, matrix, facts);
  return dumped(document);
}

}  // namespace octile::app
