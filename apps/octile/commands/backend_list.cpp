// SPDX-License-Identifier: BSD-3-Clause
#include "commands/backend_list.hpp"

#include <string>

#include <fmt/format.h>

#include <octile/backends.hpp>

namespace octile::app {
namespace {

/// "tiling-blocking:t,r", or the bare name of a family without parameters.
std::string shown(const PrimitiveInfo& info) { return fmt::format("{}{}", info.name, info.dense ? ":t,r" : ""); }

void print_backend(const Backend& backend) {
  fmt::print("{}{}\n    {}\n    {}; {}; {}\n", backend.name, backend.available ? "" : "  (cannot run here)",
             backend.description, backend.exact ? "exact, no iteration" : "iterates to the tolerance",
             backend.deterministic ? "equal bits from run to run" : "last bits may differ from run to run",
             backend.single_precision ? "float64 and float32" : "float64 only");
}

void print_primitives_of(const Backend& backend) {
  std::string names;
  for (const PrimitiveInfo& info : primitive_families()) {
    if (backend.takes(info.family)) names += fmt::format("{}{}", names.empty() ? "" : ", ", shown(info));
  }
  fmt::print("    primitives: {}\n", names.empty() ? "none" : names);
}

void print_primitive(const PrimitiveInfo& info) {
  fmt::print("{}\n    {}\n", shown(info), info.description);
  if (!info.dense) return;
  fmt::print("    t,r:");
  for (const Primitive& primitive : all_primitives()) {
    if (primitive.family == info.family) fmt::print(" {},{}", primitive.t, primitive.r);
  }
  fmt::print("\n");
}

}  // namespace

void print_backends() {
  for (const Backend& backend : backends()) print_backend(backend);
  fmt::print("\nauto (the default) is the last of these, portable the last portable one.\n");
}

void print_backends_with_primitives() {
  for (const Backend& backend : backends()) {
    print_backend(backend);
    print_primitives_of(backend);
  }
  fmt::print("\n");
  for (const PrimitiveInfo& info : primitive_families()) print_primitive(info);
}

}  // namespace octile::app
