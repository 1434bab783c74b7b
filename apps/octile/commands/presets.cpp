// SPDX-License-Identifier: BSD-3-Clause
#include "commands/presets.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/failures.hpp"
#include "readers/text.hpp"

namespace octile::app {

const Preset& find_preset(std::string_view name) {
  const auto* const found = std::ranges::find(presets, name, &Preset::name);
  if (found != presets.end()) return *found;
  throw UsageError(fmt::format("--preset {}: allowed is one of {}", in_quotes(name), preset_names()));
}

std::string preset_names() {
  std::string names;
  for (const Preset& preset : presets) names += fmt::format("{}{}", names.empty() ? "" : ", ", preset.name);
  return names;
}

}  // namespace octile::app
