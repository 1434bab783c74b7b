// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace octile::app {

/// A kernel for a kind of graphs, for users who have not chosen one. docs/choosing.md says how their values spread.
struct Preset {
  std::string_view name;
  std::string_view graphs;  ///< of which kind, in words
  std::string_view vertex;
  std::string_view edge;
  std::string_view stopping;
};

/// All presets. `octile info` proposes the first that reads attributes of a set's own, if the set has all that it reads.
inline constexpr std::array presets = {
    Preset{"molecule", "molecules",
           "delta(element,0.2)*delta(hybridization,0.3)*delta(hydrogens,0.4)*delta(charge,0.5)*delta(in_ring,0.5)",
           "delta(order,0.3)", "weight:0.05"},
    Preset{"structure", "atoms in space", "delta(element,0.05)*rational(degree,1,2)", "gaussian(length,0.05)",
           "weight:0.05"},
    Preset{"network", "networks without labels, by degrees and core numbers", "delta(degree,0.1)*delta(core,0.3)", "1",
           "weight:0.05"},
    Preset{"unlabelled", "any graphs, by their edges alone", "1", "1", "weight:0.05"},
};

/// The preset of this name. Throws `UsageError` that says what is allowed.
const Preset& find_preset(std::string_view name);

/// "molecule, structure, ...".
std::string preset_names();

}  // namespace octile::app
