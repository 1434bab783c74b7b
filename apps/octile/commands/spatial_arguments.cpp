// SPDX-License-Identifier: BSD-3-Clause
#include "commands/spatial_arguments.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "output/failures.hpp"
#include "readers/read.hpp"

namespace octile::app {
namespace {

std::string suffixes_with_coordinates() { return suffixes_that_take(Takes::rule); }

}  // namespace

std::string suffixes_that_take(Takes what) {
  std::vector<std::string_view> suffixes;
  for (const Format& format : formats()) {
    if (format.takes_any(what)) suffixes.push_back(format.suffix);
  }
  return fmt::format("{}", fmt::join(suffixes, ", "));
}

bool any_takes(const std::vector<std::string>& inputs, const std::string& format, Takes what) {
  return std::ranges::any_of(input_files(inputs),
                             [&](const auto& path) { return format_of(path, format).takes_any(what); });
}

void SpatialArguments::add_to(CLI::App& command) {
  // A build without gemmi reads no atoms in space.
  if (suffixes_with_coordinates().empty()) return;
  command
      .add_option("--cutoff", cutoff,
                  fmt::format("Distance in Å below which two atoms of {} are joined [{:g}]",
                              suffixes_with_coordinates(), SpatialRule{}.cutoff))
      ->type_name("R");
  command
      .add_option(
          "--decay", decay,
          fmt::format("Exponent K of their edge's weight (1 - r/R)^K, at distance r [{:g}]", SpatialRule{}.decay))
      ->type_name("K");
}

std::optional<SpatialRule> SpatialArguments::rule_for(const std::vector<std::string>& inputs,
                                                      const std::string& format) const {
  const SpatialRule rule{cutoff.value_or(SpatialRule{}.cutoff), decay.value_or(SpatialRule{}.decay)};
  if (!std::isfinite(rule.cutoff) || rule.cutoff <= 0) {
    throw UsageError(fmt::format("--cutoff {}: allowed is a finite number above 0, in Å", rule.cutoff));
  }
  if (!std::isfinite(rule.decay) || rule.decay < 0) {
    throw UsageError(fmt::format("--decay {}: allowed is a finite number, 0 or more", rule.decay));
  }
  if (any_takes(inputs, format, Takes::rule)) return rule;
  if (!cutoff && !decay) return std::nullopt;
  throw UsageError(fmt::format("{}: none of the inputs has coordinates ({}); allowed with {}",
                               cutoff ? "--cutoff" : "--decay", fmt::join(inputs, ", "), suffixes_with_coordinates()));
}

std::string input_suffixes() {
  const std::vector<std::string_view> compressed = compressed_suffixes();
  return compressed.empty() ? known_suffixes()
                            : fmt::format("{}; each also with {}", known_suffixes(), fmt::join(compressed, " or "));
}

std::string input_help() {
  return fmt::format("Files of graphs ({}), or folders of them; - is standard input; several make one set",
                     input_suffixes());
}

}  // namespace octile::app
