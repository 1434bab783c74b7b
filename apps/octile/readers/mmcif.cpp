// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <utility>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "readers/formats.hpp"
#include "readers/heavy_atoms.hpp"
#include "readers/one_graph.hpp"
#include "readers/parse_mmcif.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

Atoms atoms_of(Crystal crystal) {
  Atoms atoms;
  for (std::size_t k = 0; k < crystal.place.size(); ++k) atoms.add(crystal.atomic_number[k], crystal.place[k]);
  atoms.labels.emplace("atom", std::move(crystal.label));
  atoms.cell = PeriodicCell{crystal.vectors, {true, true, true}};
  return atoms;
}

}  // namespace

GraphReader mmcif_reader(const std::string& path, const ReadOptions& options) {
  return one_graph(path, options, [path, choice = options.atoms](TextFile& file) {
    std::string text;
    for (std::string line; file.next(line);) text += line += '\n';
    // Crystals have fractional coordinates, and this tag for them; mmCIF has a point in its place.
    if (text.find("_atom_site_fract_x") == std::string::npos) {
      return heavy_atoms(parse_mmcif(text, path).models.front(), choice);
    }
    if (!choice.takes_all()) {
      throw Error(
          fmt::format("{}: the file is of a crystal, which has no chains and residues to choose from", choice.text()));
    }
    return atoms_of(parse_crystal(text, path));
  });
}

}  // namespace octile::app
