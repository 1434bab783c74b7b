// SPDX-License-Identifier: BSD-3-Clause
#include "verify/table.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include <octile/pairs/agreement.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

constexpr std::size_t most_listed = 20;

/// The name in the row of `octile gram`, in place of a backend's.
constexpr std::string_view gram_row = "octile gram";

std::string pair_name(std::span<const Graph> graphs, Pair pair) {
  return fmt::format("{} - {}", printable(graphs[static_cast<std::size_t>(pair.first)].name()),
                     printable(graphs[static_cast<std::size_t>(pair.second)].name()));
}

void print_list(std::string_view what, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("\n{}: {}\n", what, with_commas(lines.size()));
  for (std::size_t k = 0; k < std::min(lines.size(), most_listed); ++k) fmt::print("  {}\n", lines[k]);
  if (lines.size() > most_listed) fmt::print("  and {} more\n", with_commas(lines.size() - most_listed));
}

}  // namespace

VerificationTable::VerificationTable(std::span<const Setting> settings)
    : backend_width_(gram_row.size()), primitive_width_(9) {
  for (const Backend& backend : backends()) backend_width_ = std::max(backend_width_, backend.name.size());
  for (const Setting& setting : settings) {
    primitive_width_ = std::max(primitive_width_, setting.primitive.name().size());
  }
}

void VerificationTable::print_head(const Judgements& judgements, std::size_t reference_limit, const Setting& gram,
                                   const std::string& gram_solver) const {
  const std::string tolerance = gram.gram_tolerance ? fmt::format(", solved to {:g}", *gram.gram_tolerance) : "";
  fmt::print("{}{}{}{}\n", gram.name(), tolerance, gram_solver.empty() ? "" : ": ", gram_solver);
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    fmt::print("{}: solved to {:g}, K within {:g} + {} eps K/q^2{}\n", scalar_name(precision),
               agreement::solve_tolerance(precision), agreement::value_tolerance(precision),
               agreement::allowed_roundings,
               precision == Precision::float32 ? " where it converged (eps is float64's)" : "");
  }
  fmt::print("judged by {}: {}\n", backends().front().name, counted(judgements.judged_by(&backends().front()), "pair"));
  for (const Backend& backend : backends().subspan(1)) {
    const std::size_t count = judgements.judged_by(&backend);
    if (count == 0) continue;
    fmt::print("judged by {} in float64, as n m is above {} or time short: {}; K within {:g} more\n", backend.name,
               with_commas(reference_limit), counted(count, "pair"), agreement::value_tolerance(Precision::float64));
  }
  fmt::print("difference: the largest relative one of K; iterations: median, most; ms: solve alone\n\n");
  print_cells({"backend", "primitive", "precision", "pairs", "difference", "unconverged", "iterations", "ms", ""});
}

void VerificationTable::print_others(const Judgements& judgements, std::span<const Backend* const> unavailable) const {
  const Backend& reference = backends().front();
  print_cells({std::string(reference.name), "-", std::string(scalar_name(Precision::float64)),
               fmt::format("{}", judgements.judged_by(&reference)), "judge", "-", "-",
               fmt::format("{:.1f}", judgements.reference_milliseconds), ""});
  for (const Backend* backend : unavailable) fmt::print("{:<{}}  cannot run here\n", backend->name, backend_width_);
}

void VerificationTable::print_row(const VerifiedSetting& row) const {
  const auto& [setting, verdict] = row;
  Cells cells{std::string(setting.is_gram() ? gram_row : setting.backend->name), setting.primitive.name(),
              setting.precision_text()};
  if (!verdict.refusal.empty()) {
    cells.mark = "not solved, see below";
  } else {
    cells.pairs = fmt::format("{}", verdict.pairs);
    cells.difference = verdict.compared == 0 ? "-" : fmt::format("{:.1e}", verdict.largest_difference);
    cells.unconverged = fmt::format("{}", verdict.unconverged.size());
    cells.iterations = fmt::format("{}, {}", verdict.median_iterations, verdict.most_iterations);
    cells.milliseconds = fmt::format("{:.1f}", verdict.milliseconds);
    if (!verdict.differing.empty()) cells.mark = fmt::format("OUT OF TOLERANCE: {}", verdict.differing.size());
  }
  print_cells(cells);
  std::fflush(stdout);
}

void VerificationTable::print_cells(const Cells& cells) const {
  fmt::print("{:<{}}  {:<{}}  {:<9}  {:>5}  {:>10}  {:>11}  {:>10}  {:>8}{}{}\n", cells.backend, backend_width_,
             cells.primitive, primitive_width_, cells.precision, cells.pairs, cells.difference, cells.unconverged,
             cells.iterations, cells.milliseconds, cells.mark.empty() ? "" : "  ", cells.mark);
}

void print_findings(const std::vector<VerifiedSetting>& rows, const Judgements& judgements,
                    std::span<const Graph> graphs) {
  std::size_t compared = 0;
  std::vector<std::string> differing;
  std::vector<std::string> refused;
  std::vector<std::string> unconverged;
  std::vector<std::string> unjudged;
  for (const auto& [setting, verdict] : rows) {
    const std::string name = setting.name();
    compared += verdict.compared;
    if (!verdict.refusal.empty()) refused.push_back(fmt::format("{}: {}", name, verdict.refusal));
    for (const Finding& finding : verdict.differing) {
      differing.push_back(fmt::format("{}: {}: {:.15g}, by {} {:.15g}; relative difference {:.1e}, allowed {:.1e}",
                                      name, pair_name(graphs, finding.judgement->pair), finding.result.value,
                                      finding.judgement->judge->name, finding.judgement->value, finding.difference,
                                      finding.allowed));
    }
    if (!has_to_converge(setting)) continue;
    for (const Finding& finding : verdict.unconverged) {
      unconverged.push_back(fmt::format("{}: {}: {} after {}, relative residual {:.1e}", name,
                                        pair_name(graphs, finding.judgement->pair), status_name(finding.result.status),
                                        counted(static_cast<std::size_t>(finding.result.iterations), "iteration"),
                                        finding.result.residual));
    }
  }
  for (const Judgement& judgement : judgements.pairs) {
    if (judgement.judge == nullptr && !judgement.left_out) unjudged.push_back(pair_name(graphs, judgement.pair));
  }
  print_list("out of tolerance", differing);
  print_list("not solved", refused);
  print_list("unconverged", unconverged);
  print_list("pairs that none could judge", unjudged);
  fmt::print("\n{} compared, {} out of tolerance\n", counted(compared, "value"), with_commas(differing.size()));
}

}  // namespace octile::app
