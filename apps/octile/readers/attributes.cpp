// SPDX-License-Identifier: BSD-3-Clause
#include "readers/attributes.hpp"

#include <string_view>

#ifdef OCTILE_WITH_RDKIT
#include <GraphMol/RWMol.h>
#include <GraphMol/RingInfo.h>
#endif
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "readers/read.hpp"
#include "readers/structure_attributes.hpp"

#ifdef OCTILE_WITH_GEMMI
#include "readers/atoms.hpp"
#endif
#ifdef OCTILE_WITH_RDKIT
#include "readers/atom_surroundings.hpp"
#include "readers/molecule_features.hpp"
#endif

namespace octile::app {
namespace {

template <class Chosen>
std::string suffixes_where(const Chosen& chosen) {
  std::vector<std::string_view> suffixes;
  for (const Format& format : formats()) {
    if (chosen(format)) suffixes.push_back(format.suffix);
  }
  return fmt::format("{}", fmt::join(suffixes, ", "));
}

#ifdef OCTILE_WITH_RDKIT
FormatAttributes of_molecules() {
  RDKit::RWMol none;
  none.getRingInfo()->initialize();
  AtomSurroundings around(none);
  FormatAttributes result{fmt::format("molecules ({})", suffixes_where([](const Format& format) {
                                        return format.takes_any(Takes::molecules);
                                      })),
                          {}};
  for (const MoleculeFeature& feature : molecule_features()) {
    result.attributes.push_back({std::string(feature.name),
                                 std::string(column_type_name(feature.column({none, around}))),
                                 std::string(feature.values), feature.of_bonds, !feature.standard});
  }
  return result;
}
#endif

#ifdef OCTILE_WITH_GEMMI
FormatAttributes of_atoms_in_space() {
  FormatAttributes result{fmt::format("atoms in space ({})", suffixes_where([](const Format& format) {
                                        return format.takes_any(Takes::rule);
                                      })),
                          {}};
  for (const AtomAttribute& attribute : atom_attributes) {
    result.attributes.push_back({std::string(attribute.name), std::string(attribute.type),
                                 std::string(attribute.values), attribute.of_edges, false});
  }
  return result;
}
#endif

}  // namespace

#ifdef OCTILE_WITH_RDKIT
void check_features(const std::string& features) { chosen_features(features); }

std::string known_features() { return feature_names(); }
#else
void check_features(const std::string& features) {
  throw Error(fmt::format("features '{}': this build reads no molecules", features));
}

std::string known_features() { return ""; }
#endif

std::vector<FormatAttributes> attributes_by_format() {
  std::vector<FormatAttributes> all;
#ifdef OCTILE_WITH_RDKIT
  all.push_back(of_molecules());
#endif
#ifdef OCTILE_WITH_GEMMI
  all.push_back(of_atoms_in_space());
#endif
  all.push_back({fmt::format("graphs ({})", suffixes_where([](const Format& format) {
                               return !format.takes_any(Takes::rule | Takes::molecules);
                             })),
                 {}});
  all.push_back({"every graph that has no others of these names", {}});
  for (const StructureAttribute& attribute : structure_attributes) {
    all.back().attributes.push_back(
        {std::string(attribute.name), "integer", std::string(attribute.values), false, false});
  }
  return all;
}

}  // namespace octile::app
