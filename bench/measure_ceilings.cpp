// SPDX-License-Identifier: BSD-3-Clause
// Measures the peak rates of the machine (see `ceilings`), the roofs with which other benches compare.
//
// usage: octile_bench_ceilings [--brief=1] [--benchmark_...] [--kokkos-...]
//
//   --brief   1: much less work, to see that it runs [0]
//
// OCTILE_COMMIT and OCTILE_CLOCKS, if set, go into the JSON.
#include <memory>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "ceilings.hpp"
#include "prepared.hpp"
#include "program.hpp"

int main(int count, char** values) {
  using namespace octile::bench;
  return run_program("octile_bench_ceilings", count, values, [](std::span<char* const> arguments) {
    const Options options(arguments, {{"brief", "0"}});
    const Benchmarks<Ceiling> all;
    for (const CeilingEntry& entry : ceilings(options.number("brief") != 0)) {
      const std::string name = fmt::format("ceiling/{}/space:{}", entry.name, entry.space);
      all.add(name, entry.make, [unit = entry.unit](benchmark::State& state, const Ceiling& ceiling) {
        state.counters[unit] = benchmark::Counter(ceiling.amount(), benchmark::Counter::kIsIterationInvariantRate);
      });
    }
  });
}
