// SPDX-License-Identifier: BSD-3-Clause
#include "output/summary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/version.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

constexpr std::size_t most_listed = 20;

/// JSON has no NaN: a pair that broke down has the value null.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

Summary summarize(const GramResult& result) {
  Summary summary;
  summary.pairs = result.pairs.size();
  summary.pairs_per_second = static_cast<double>(summary.pairs) / result.solve_seconds;
  std::vector<std::int32_t> iterations;
  iterations.reserve(result.pairs.size());
  for (std::size_t i = 0; i < result.size; ++i) {
    for (std::size_t j = i; j < result.size; ++j) {
      const PairResult& pair = result.pairs[pair_index(i, j, result.size)];
      iterations.push_back(pair.iterations);
      if (pair.status != Status::converged) summary.unconverged.push_back({i, j, pair});
    }
  }
  std::ranges::sort(iterations);
  if (!iterations.empty()) {
    summary.fewest_iterations = iterations.front();
    summary.median_iterations = iterations[iterations.size() / 2];
    summary.most_iterations = iterations.back();
  }
  return summary;
}

void print_summary(const Summary& summary, const GramResult& result, const std::vector<std::string>& names,
                   const std::vector<std::string>& skipped) {
  fmt::print("{} of {} in {}: {} pairs/s (set up in {})\n", counted(summary.pairs, "pair"),
             counted(result.size, "graph"), duration(result.solve_seconds), rate(summary.pairs_per_second),
             duration(result.setup_seconds));
  if (result.order.id != reorder::OrderId::natural) {
    fmt::print("order {}: {} octiles instead of {}, in {}\n", reorder::find_order(result.order.id).name,
               with_commas(static_cast<std::size_t>(result.order.tiles)),
               with_commas(static_cast<std::size_t>(result.order.natural_tiles)), duration(result.order.seconds));
  }
  fmt::print("iterations: {} min, {} median, {} max\n", summary.fewest_iterations, summary.median_iterations,
             summary.most_iterations);
  if (result.refined > 0) fmt::print("solved again in float64: {}\n", counted(result.refined, "pair"));
  const auto list = [](const char* what, std::size_t count, const auto& print_one) {
    fmt::print("{}: {}\n", what, count == 0 ? "none" : with_commas(count));
    for (std::size_t k = 0; k < std::min(count, most_listed); ++k) print_one(k);
    if (count > most_listed) {
      fmt::print("  and {} more (--summary FILE lists all)\n", with_commas(count - most_listed));
    }
  };
  list("unconverged pairs", summary.unconverged.size(), [&](std::size_t k) {
    const Unconverged& pair = summary.unconverged[k];
    fmt::print("  {} - {}: {} after {}, relative residual {:.1e}\n", names[pair.first], names[pair.second],
               status_name(pair.result.status), counted(static_cast<std::size_t>(pair.result.iterations), "iteration"),
               pair.result.residual);
  });
  if (skipped.empty()) return;
  list("skipped", skipped.size(), [&](std::size_t k) { fmt::print("  {}\n", skipped[k]); });
}

std::string summary_json(const Summary& summary, const GramResult& result, const std::vector<std::string>& names,
                         const std::vector<std::string>& skipped, const Request& request) {
  nlohmann::ordered_json document;
  document["octile"] = OCTILE_VERSION_STRING;
  document["inputs"] = request.inputs;
  if (request.rule) {
    document["cutoff"] = request.rule->cutoff;
    document["decay"] = request.rule->decay;
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
  document["precision"] = request.options->precision == Precision::float64 ? "float64" : "float32";
  document["tolerance"] = request.options->solve.tolerance;
  document["max_iterations"] = request.options->solve.max_iterations;
  document["normalized"] = request.options->normalize;
  document["pairs"] = summary.pairs;
  document["setup_seconds"] = result.setup_seconds;
  document["solve_seconds"] = result.solve_seconds;
  document["pairs_per_second"] = number(summary.pairs_per_second);
  document["iterations"] = {
      {"min", summary.fewest_iterations}, {"median", summary.median_iterations}, {"max", summary.most_iterations}};
  document["refined_in_float64"] = result.refined;
  document["unconverged"] = nlohmann::ordered_json::array();
  for (const Unconverged& pair : summary.unconverged) {
    document["unconverged"].push_back({{"first", pair.first},
                                       {"second", pair.second},
                                       {"names", {names[pair.first], names[pair.second]}},
                                       {"status", status_name(pair.result.status)},
                                       {"iterations", pair.result.iterations},
                                       {"residual", number(pair.result.residual)}});
  }
  document["skipped"] = skipped;
  document["graphs"] = names;
  // Names come from files that may not be UTF-8. Invalid bytes are replaced, so that they do not make the whole
  // run fail.
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace octile::app
