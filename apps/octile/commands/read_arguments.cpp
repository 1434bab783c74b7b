// SPDX-License-Identifier: BSD-3-Clause
#include "commands/read_arguments.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "commands/order_arguments.hpp"
#include "commands/proposal.hpp"
#include "output/failures.hpp"

namespace octile::app {

void ReadArguments::add_to(CLI::App& command) {
  spatial.add_to(command);
  add_number(command, "--max-atoms", max_atoms, "Most vertices of a graph; one with more is refused");
  const std::string suffixes = suffixes_that_take(Takes::columns);
  // A build without RDKit reads no molecules, and no tables of them.
  if (suffixes.empty()) return;
  command
      .add_option("--features", molecules.features,
                  fmt::format("Attributes of molecules, separated by commas: {}", known_features()))
      ->type_name("NAME,...")
      ->capture_default_str();
  command.add_flag("--explicit-hydrogens", molecules.explicit_hydrogens,
                   "Each hydrogen of a molecule is a vertex, too");
  command.add_option("--smiles-column", columns.smiles, "Column of the SMILES in a table [smiles, in any case]")
      ->type_name("NAME");
  command.add_option("--name-column", columns.name, fmt::format("Column of the names of the graphs, in {}", suffixes))
      ->type_name("NAME");
  command
      .add_option("--target-column", columns.targets,
                  fmt::format("Column of numbers to learn, in {}; several columns, if given several times", suffixes))
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
}

void ReadArguments::add_with_inputs_to(CLI::App& command, std::vector<std::string>& inputs) {
  command.add_option("INPUT", inputs, input_help())->required();
  add_to(command);
  command.add_option("--format", format, "Format of standard input (the input -), by its suffix")->type_name("SUFFIX");
  command.add_flag("--skip-invalid", skip_invalid, "Pass over graphs that are refused, and list them");
}

std::string ReadArguments::text() const {
  std::string all;
  const auto add = [&all](std::string_view option, const std::string& value) {
    if (!value.empty()) all += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--cutoff", spatial.cutoff.value_or(""));
  if (spatial.decay) add("--decay", fmt::format("{}", *spatial.decay));
  add("--adjacency", spatial.adjacency.value_or(""));
  add("--images", spatial.images.value_or(""));
  add("--chain", spatial.chain.value_or(""));
  add("--residues", spatial.residues.value_or(""));
  add("--atoms", spatial.atoms.value_or(""));
  add("--model", spatial.model.value_or(""));
  if (max_atoms != default_max_vertices) add("--max-atoms", fmt::format("{}", max_atoms));
  if (molecules.features != MoleculeOptions{}.features) add("--features", molecules.features);
  if (molecules.explicit_hydrogens) all += " --explicit-hydrogens";
  add("--smiles-column", columns.smiles);
  add("--name-column", columns.name);
  for (const std::string& target : columns.targets) add("--target-column", target);
  add("--format", format);
  return all;
}

std::optional<SpatialRule> ReadArguments::rule_for(const std::vector<std::string>& inputs) const {
  const auto count = std::ranges::count(inputs, standard_input);
  if (count == 0 && !format.empty()) {
    throw UsageError(fmt::format("--format {}: allowed with the input {}, standard input", format, standard_input));
  }
  if (count > 1) throw UsageError(fmt::format("{}: standard input is given twice; allowed is once", standard_input));
  if (count == 1 && std::ranges::none_of(formats(), [this](const Format& one) { return format == one.suffix; })) {
    throw UsageError(fmt::format("--format {}: allowed for standard input is one of {}",
                                 format.empty() ? "is missing" : format, known_suffixes()));
  }
  return spatial.rule_for(inputs, format);
}

ReadOptions ReadArguments::options_for(const std::vector<std::string>& inputs) const {
  ReadOptions options;
  options.skip_invalid = skip_invalid;
  options.rule = rule_for(inputs).value_or(SpatialRule{});
  options.atoms = spatial.choice_for(inputs, format);
  options.columns = columns;
  options.molecules = molecules;
  options.format = format;
  options.max_vertices = max_atoms;
  const std::array given = {std::pair("--smiles-column", !columns.smiles.empty()),
                            std::pair("--name-column", !columns.name.empty()),
                            std::pair("--target-column", !columns.targets.empty())};
  const auto* const first = std::ranges::find_if(given, [](const auto& option) { return option.second; });
  if (first != given.end() && !any_takes(inputs, format, Takes::columns)) {
    throw UsageError(fmt::format("{}: none of the inputs has columns ({}); allowed with {}", first->first,
                                 fmt::join(inputs, ", "), suffixes_that_take(Takes::columns)));
  }
  const bool features_given = molecules.features != MoleculeOptions{}.features;
  if (features_given) as_usage([this] { check_features(molecules.features); });
  if ((features_given || molecules.explicit_hydrogens) && !any_takes(inputs, format, Takes::molecules)) {
    throw UsageError(fmt::format("{}: none of the inputs has molecules ({}); allowed with {}",
                                 features_given ? "--features" : "--explicit-hydrogens", fmt::join(inputs, ", "),
                                 suffixes_that_take(Takes::molecules)));
  }
  return options;
}

}  // namespace octile::app
