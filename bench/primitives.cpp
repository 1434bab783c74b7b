// SPDX-License-Identifier: BSD-3-Clause
// Measures the portable XMV primitives in isolation, on the default execution space: the dense ones over t and r, label
// bytes E, weight bytes F and operations X of an element; products of octiles by their populations.
//
// usage: octile_bench_primitives [--vertices=N] [--pairs=N] [--populations=A,B,...] [--brief=1] [--benchmark_...]
//                                [--kokkos-...]
//
//   --vertices     of the dense primitives' complete graphs; t and r must divide it [48]
//   --naive        vertices for the naive primitive, which keeps the product matrix [24]
//   --pairs        products in a launch [as many as keep the device busy]
//   --populations  of octiles, each with each [0,1,2,4,8,12,16,24,32,48,64]
//   --brief        1: roofs are measured with much less work [0]
//
// The JSON has the operations and moves of a product of one pair, for our primitives and by the paper's table, the
// time of a launch, and its fraction of the roofs, which are measured first.
#include <algorithm>
#include <memory>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <octile/error.hpp>

#include "ceilings.hpp"
#include "prepared.hpp"
#include "program.hpp"
#include "xmv_case.hpp"

namespace octile::bench {
namespace {

void set_counts(benchmark::State& state, const std::string& prefix, const plan::XmvCounts& counts) {
  state.counters[prefix + "operations"] = counts.operations;
  state.counters[prefix + "global_load_bytes"] = counts.bytes.global_loads;
  state.counters[prefix + "global_store_bytes"] = counts.bytes.global_stores;
  state.counters[prefix + "shared_load_bytes"] = counts.bytes.shared_loads;
  state.counters[prefix + "shared_store_bytes"] = counts.bytes.shared_stores;
}

/// The lowest of the roofs, in operations a second.
double roof_of(const XmvCase& entry, const Roofs& roofs) {
  double roof = entry.double_precision ? roofs.fma_f64 : roofs.fma_f32;
  if (entry.ours) {
    roof = std::min(roof, entry.ours->global_intensity() * roofs.memory);
    roof = std::min(roof, entry.ours->shared_intensity() * roofs.scratch);
  }
  return roof;
}

void report(benchmark::State& state, const XmvCase& entry, const XmvRun& run, const Roofs& roofs) {
  using benchmark::Counter;
  const auto pairs = static_cast<double>(run.pair_count());
  const auto rate = [](double amount) { return Counter(amount, Counter::kIsIterationInvariantRate); };
  for (const auto& [name, value] : entry.parameters) state.counters[name] = value;
  state.counters["n"] = entry.n;
  state.counters["pairs"] = pairs;
  state.counters["E"] = entry.element.label_bytes;
  state.counters["F"] = entry.element.scalar_bytes;
  state.counters["X"] = entry.element.operations;
  state.counters["useful_operations"] = entry.useful_operations;
  state.counters["operations"] = entry.operations;
  state.counters["products/s"] = rate(pairs);
  state.counters["FLOP/s"] = rate(pairs * entry.useful_operations);
  const double peak = entry.double_precision ? roofs.fma_f64 : roofs.fma_f32;
  state.counters["peak_percent"] = rate(100 * pairs * entry.useful_operations / peak);
  state.counters["roof_percent"] = rate(100 * pairs * entry.useful_operations / roof_of(entry, roofs));
  if (entry.ours) {
    set_counts(state, "", *entry.ours);
    state.counters["operations"] = entry.operations;
    state.counters["exchange_bytes"] = entry.ours->bytes.exchanges;
    state.counters["global_intensity"] = entry.ours->global_intensity();
    state.counters["shared_intensity"] = entry.ours->shared_intensity();
    state.counters["bytes/s"] = rate(pairs * (entry.ours->bytes.global_loads + entry.ours->bytes.global_stores));
    state.counters["shared_bytes/s"] = rate(pairs * (entry.ours->bytes.shared_loads + entry.ours->bytes.shared_stores));
  }
  if (entry.paper) set_counts(state, "paper_", *entry.paper);
  if (entry.paper_intensity) {
    state.counters["paper_global_intensity"] = entry.paper_intensity->global;
    if (entry.paper_intensity->shared > 0) state.counters["paper_shared_intensity"] = entry.paper_intensity->shared;
  }
}

void add_benchmarks(std::span<char* const> arguments) {
  const Options options(arguments, {{"vertices", "48"},
                                    {"naive", "24"},
                                    {"pairs", "0"},
                                    {"populations", "0,1,2,4,8,12,16,24,32,48,64"},
                                    {"brief", "0"}});
  const XmvSizes sizes{options.number("vertices"), options.number("pairs"), options.numbers("populations")};
  if (sizes.vertices == 0 || sizes.vertices % 48 != 0) {
    throw Error("--vertices: allowed are multiples of 48, which every t and r divides");
  }
  for (const int population : sizes.populations) {
    if (population > 64) throw Error(fmt::format("--populations: {}; allowed is 0 to 64", population));
  }
  std::vector<XmvCase> cases;
  add_naive(cases, {std::max(options.number("naive"), 2), sizes.pairs, {}});
  add_shared_tiling(cases, sizes);
  add_register_blocking(cases, sizes);
  add_tiling_blocking(cases, sizes);
  add_octiles(cases, sizes);
  const Roofs roofs = measure_roofs_into_context(options.number("brief") != 0);
  const Benchmarks<XmvRun> all;
  for (const XmvCase& entry : cases) {
    all.add(entry.name, entry.make,
            [entry, roofs](benchmark::State& state, const XmvRun& done) { report(state, entry, done, roofs); });
  }
}

}  // namespace
}  // namespace octile::bench

int main(int count, char** values) {
  return octile::bench::run_program("octile_bench_primitives", count, values, octile::bench::add_benchmarks);
}
