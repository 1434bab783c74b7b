// SPDX-License-Identifier: BSD-3-Clause
#include "commands/setting_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/failures.hpp"

namespace octile::app {
namespace {

/// The backends to verify, each once. Named backends must be able to run.
std::vector<const Backend*> chosen_backends(const std::string& list) {
  std::vector<const Backend*> chosen;
  if (list.empty()) {
    for (const Backend& backend : backends()) chosen.push_back(&backend);
    return chosen;
  }
  for (const std::string& name : split_names(list)) {
    const Backend& backend = *as_usage([&name] { return &find_backend(parse_backend(name)); });
    if (!backend.available) throw UsageError(fmt::format("backend '{}' cannot run on this machine", backend.name));
    if (std::ranges::find(chosen, &backend) == chosen.end()) chosen.push_back(&backend);
  }
  return chosen;
}

/// The primitives asked for: those named, or all, or all but only t = r = 8 of the dense families.
std::vector<Primitive> chosen_primitives(const SettingNames& names, Lowering lowering) {
  std::vector<Primitive> chosen;
  if (names.all) return all_primitives();
  if (names.primitives.empty() && lowering != Lowering::automatic) return {Primitive{}};
  if (names.primitives.empty()) {
    for (const PrimitiveInfo& info : primitive_families()) chosen.push_back(parse_primitive(info.name));
    return chosen;
  }
  for (const std::string& name : split_names(names.primitives)) {
    const Primitive primitive = as_usage([&name] { return parse_primitive(name); });
    if (std::ranges::find(chosen, primitive) == chosen.end()) chosen.push_back(primitive);
  }
  return chosen;
}

}  // namespace

Settings chosen_settings(const SettingNames& names, const std::string& lowering_name) {
  const Lowering lowering = as_usage([&lowering_name] { return parse_lowering(lowering_name); });
  const std::vector<const Backend*> backends = chosen_backends(names.backends);
  const std::vector<Primitive> primitives = chosen_primitives(names, lowering);
  for (const Primitive& primitive : primitives) {
    const auto takes = [&primitive](const Backend* backend) { return backend->takes(primitive.family); };
    if (!names.primitives.empty() && std::ranges::none_of(backends, takes)) {
      throw UsageError(
          fmt::format("--primitives {}: no backend of {} has it; `octile verify --list` lists those it has",
                      primitive.name(), names.backends.empty() ? "this build" : names.backends));
    }
  }
  Settings settings;
  for (const Backend* backend : backends) {
    if (!backend->available) {
      settings.unavailable.push_back(backend);
      continue;
    }
    if (backend->exact || !backend->has(lowering)) continue;
    for (const Primitive& primitive : primitives) {
      for (const Precision precision : {Precision::float64, Precision::float32}) {
        if (backend->has(primitive, precision)) settings.available.push_back({backend, primitive, precision, lowering});
      }
    }
  }
  if (settings.available.empty()) {
    throw UsageError(fmt::format("--backends {} --lowering {}: nothing to verify; {} judges the others", names.backends,
                                 lowering_name, octile::backends().front().name));
  }
  return settings;
}

}  // namespace octile::app
