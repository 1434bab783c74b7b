// SPDX-License-Identifier: BSD-3-Clause
#include "commands/spatial_arguments.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "output/failures.hpp"
#include "readers/read.hpp"

namespace octile::app {
namespace {

std::string suffixes_with_coordinates() { return suffixes_that_take(Takes::rule); }

/// Sets members of `Target` by the texts of options.
template <class Target>
class SetByOptions {
 public:
  explicit SetByOptions(Target& target) : target_(target) {}

  /// Sets a member, if the option was given.
  void operator()(std::string_view option, const std::optional<std::string>& text,
                  void (Target::*set)(std::string_view)) {
    if (!text) return;
    last_ = option;
    try {
      (target_.*set)(*text);
    } catch (const Error& error) {
      throw UsageError(fmt::format("{} {}", option, error.what()));
    }
  }

  /// The last of the options that were given, or an empty text.
  std::string_view last() const { return last_; }

 private:
  Target& target_;
  std::string_view last_;
};

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
                  fmt::format("Distance R in Å below which two atoms of {} are joined; covalent:ZOOM and vdw:ZOOM are "
                              "ZOOM * 3 sqrt(r_i r_j), of the radii of their elements [{}]",
                              suffixes_with_coordinates(), SpatialRule{}.cutoff_text()))
      ->type_name("R");
  command
      .add_option(
          "--adjacency", adjacency,
          fmt::format("How the weight of their edge falls with the distance r: tent:N is (1 - r/R)^N, bell:A,B is "
                      "(1 - (r/R)^A)^B, gaussian:S is exp(-(r/R)^2 / (2 S^2)) [{}]",
                      SpatialRule{}.adjacency_text()))
      ->type_name("SHAPE");
  command
      .add_option(
          "--images", images,
          fmt::format("Images of atoms in a periodic cell that are joined: nearest, all (their weights are added), "
                      "none [{}]",
                      SpatialRule{}.images_text()))
      ->type_name("WHICH");
  command.add_option("--decay", decay, "The same as --adjacency tent:K")->type_name("K");
  const std::string structures = suffixes_that_take(Takes::choice);
  command.add_option("--chain", chain, fmt::format("Chains of {} whose atoms are taken [all]", structures))
      ->type_name("NAME,...");
  command
      .add_option("--residues", residues,
                  fmt::format("Residues of {} whose atoms are taken, by names, numbers and ranges of numbers, such as "
                              "ALA,GLY or 10-50 [all]",
                              structures))
      ->type_name("WHICH,...");
  command
      .add_option(
          "--atoms", atoms,
          fmt::format("Names of the atoms of {} that are taken, such as CA, the alpha carbons [all]", structures))
      ->type_name("NAME,...");
  command.add_option("--model", model, fmt::format("Which model of {} is taken, counted from 1 [1]", structures))
      ->type_name("N");
}

std::optional<SpatialRule> SpatialArguments::rule_for(const std::vector<std::string>& inputs,
                                                      const std::string& format) const {
  SpatialRule rule;
  if (decay && adjacency) throw UsageError("--adjacency and --decay: allowed is one of the two");
  if (decay) {
    if (!std::isfinite(*decay) || *decay < 0) {
      throw UsageError(fmt::format("--decay {}: allowed is a finite number, 0 or more", *decay));
    }
    rule.decay = *decay;
  }
  SetByOptions set_by(rule);
  set_by("--images", images, &SpatialRule::set_images);
  set_by("--adjacency", adjacency, &SpatialRule::set_adjacency);
  set_by("--cutoff", cutoff, &SpatialRule::set_cutoff);
  if (any_takes(inputs, format, Takes::rule)) return rule;
  const std::string_view given = set_by.last().empty() && decay ? "--decay" : set_by.last();
  if (given.empty()) return std::nullopt;
  throw UsageError(fmt::format("{}: none of the inputs has coordinates ({}); allowed with {}", given,
                               fmt::join(inputs, ", "), suffixes_with_coordinates()));
}

AtomChoice SpatialArguments::choice_for(const std::vector<std::string>& inputs, const std::string& format) const {
  AtomChoice choice;
  SetByOptions set_by(choice);
  set_by("--model", model, &AtomChoice::set_model);
  set_by("--atoms", atoms, &AtomChoice::set_atoms);
  set_by("--residues", residues, &AtomChoice::set_residues);
  set_by("--chain", chain, &AtomChoice::set_chains);
  const std::string_view given = set_by.last();
  if (given.empty() || any_takes(inputs, format, Takes::choice)) return choice;
  throw UsageError(fmt::format("{}: none of the inputs has chains and residues ({}); allowed with {}", given,
                               fmt::join(inputs, ", "), suffixes_that_take(Takes::choice)));
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
