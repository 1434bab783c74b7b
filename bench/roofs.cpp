// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <octile/error.hpp>

#include "ceilings.hpp"

namespace octile::bench {

Roofs measure_roofs(bool brief) {
  Roofs roofs;
  const std::pair<std::string_view, double Roofs::*> wanted[] = {{"fma/scalar:f32", &Roofs::fma_f32},
                                                                 {"fma/scalar:f64", &Roofs::fma_f64},
                                                                 {"memory/access:read", &Roofs::memory},
                                                                 {"l2/access:read", &Roofs::l2},
                                                                 {"scratch/access:read", &Roofs::scratch}};
  const std::vector<CeilingEntry> entries = ceilings(brief);
  for (const auto& [name, member] : wanted) {
    // The default execution space comes first.
    const auto entry = std::ranges::find(entries, name, &CeilingEntry::name);
    const std::unique_ptr<Ceiling> ceiling = entry->make();
    const std::string fault = ceiling->fault();
    if (!fault.empty()) throw Error(fmt::format("ceiling {}: {}", name, fault));
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) best = std::min(best, ceiling->seconds());
    roofs.*member = ceiling->amount() / best;
  }
  return roofs;
}

Roofs measure_roofs_into_context(bool brief) {
  const Roofs roofs = measure_roofs(brief);
  const auto tell = [](const char* name, double value) {
    benchmark::AddCustomContext(name, fmt::format("{:.4g}", value));
  };
  tell("peak_f32_flop_per_s", roofs.fma_f32);
  tell("peak_f64_flop_per_s", roofs.fma_f64);
  tell("peak_memory_bytes_per_s", roofs.memory);
  tell("peak_l2_bytes_per_s", roofs.l2);
  tell("peak_scratch_bytes_per_s", roofs.scratch);
  return roofs;
}

}  // namespace octile::bench
