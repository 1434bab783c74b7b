// SPDX-License-Identifier: BSD-3-Clause
#include "readers/atoms.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <gemmi/elem.hpp>

#include <octile/error.hpp>

namespace octile::app {
namespace {

constexpr int last_element = 118;

/// The radii of elements are gemmi's. Covalent: Cordero et al., "Covalent radii revisited", Dalton Trans. 2008, 2832, to curium. Van der
/// Waals: Mantina et al., J. Phys. Chem. A 113 (2009) 5806, and Bondi, J. Phys. Chem. 68 (1964) 441; those that both lack are from cctbx.
std::vector<double> radii_of(const Atoms& atoms, const SpatialRule& rule) {
  std::vector<double> radii;
  if (rule.unit == CutoffUnit::angstrom) return radii;
  for (std::size_t k = 0; k < atoms.atomic_number.size(); ++k) {
    const gemmi::Element element(static_cast<int>(atoms.atomic_number[k]));
    if (element == gemmi::El::X) {
      throw Error(
          fmt::format("atom {} is of an unknown element, which has no radius; allowed is --cutoff in Å", k + 1));
    }
    radii.push_back(rule.unit == CutoffUnit::covalent ? element.covalent_r() : element.vdw_r());
  }
  return radii;
}

bool is_letter(char byte) { return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z'); }

}  // namespace

std::optional<int> atomic_number_of(std::string_view element) {
  int number = 0;
  const auto [end, fault] = std::from_chars(element.data(), element.data() + element.size(), number);
  if (fault == std::errc() && end == element.data() + element.size()) {
    return number >= 1 && number <= last_element ? std::optional(number) : std::nullopt;
  }
  // gemmi reads two letters and ignores what follows.
  if (element.empty() || element.size() > 2 || !std::ranges::all_of(element, is_letter)) return std::nullopt;
  const gemmi::Element found{std::string(element)};
  return found == gemmi::El::X ? std::nullopt : std::optional(found.atomic_number());
}

Graph graph_of_atoms(std::string name, const Atoms& atoms, const SpatialRule& rule) {
  SpatialAdjacency adjacency = spatial_adjacency(atoms.place, rule, radii_of(atoms, rule), atoms.cell);
  LabelColumns labels = atoms.labels;
  std::vector<std::string> element;
  for (const std::int64_t number : atoms.atomic_number) {
    element.emplace_back(gemmi::Element(static_cast<int>(number)).name());
  }
  labels.emplace("element", std::move(element));
  labels.emplace("atomic_number", atoms.atomic_number);
  constexpr std::array axes = {"x", "y", "z"};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<double> values;
    for (const Place& place : atoms.place) values.push_back(place[axis]);
    labels.emplace(axes[axis], std::move(values));
  }
  LabelColumns edge_labels;
  edge_labels.emplace("length", std::move(adjacency.lengths));
  return Graph::from_edges(std::move(name), static_cast<std::int32_t>(atoms.place.size()), std::move(adjacency.edges),
                           std::move(labels), edge_labels);
}

}  // namespace octile::app
