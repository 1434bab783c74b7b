// SPDX-License-Identifier: BSD-3-Clause
// Measures whole solves of graphs whose octiles all have one population, by each backend that has products of octiles:
// where the products cross over. (octile_bench_primitives measures the portable ones in isolation.)
//
// usage: octile_bench_tiles [--populations=A,B,...] [--graphs=N] [--backends=A,...] [--primitives=A,...] [...]
//
//   --populations  of the octiles of G and of G', each with each [4,8,12,16,24,32,48,64]
//   --graphs       of either population; all N² pairs of the two are solved [32]
//   --backends     of those that can run here [all but the reference]
//   --primitives   [dense-dense,dense-sparse,sparse-sparse,adaptive,rows,slices]
//   --kinds        labeled: Gaussian edge labels; vlabeled: vertex labels alone [labeled,vlabeled]
//   --brief        1: roofs are measured with much less work [0]
//
// In float32, at a q that leaves the fullest graphs well conditioned. Time for a pair of octiles is the time over cg_iterations_total and octile_pairs.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <octile/backends.hpp>
#include <octile/error.hpp>
#include <octile/graphs/octile_size.hpp>
#include <octile/primitives.hpp>

#include "precision_name.hpp"
#include "program.hpp"
#include "solve_benchmarks.hpp"
#include "solve_case.hpp"
#include "synthetic.hpp"

namespace octile::bench {
namespace {

/// At 0.05 adding the 3,136 similar terms of a row in float32 would already cost more than the allowed error of 1e-5.
constexpr const char* stopping_probability = "0.2";

struct Entry {
  SolveCase which;
  SyntheticKernel kernel;
  int population;
  int other;
  int graphs;

  std::string set_name() const { return fmt::format("{} {} {}", kernel.kind, population, other); }

  std::string name() const {
    return fmt::format("tiles/backend:{}/primitive:{}/population:{}/other:{}/kind:{}/scalar:{}", which.backend,
                       which.primitive, population, other, kernel.kind, precision_name(which.precision));
  }
};

using LastReferences = Last<std::vector<ReferenceValue>>;

std::unique_ptr<PreparedCase> prepare(const Entry& entry, LastReferences& last) {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;
  for (const int population : {entry.population, entry.other}) {
    for (int k = 0; k < entry.graphs; ++k) graphs.push_back(population_graph(population, graphs.size()));
  }
  for (int i = 0; i < entry.graphs; ++i) {
    for (int j = 0; j < entry.graphs; ++j) pairs.push_back({i, entry.graphs + j});
  }
  const auto& references = last.of(entry.set_name(), [&] {
    return synthetic_references(graphs, entry.kernel, entry.which.q, {pairs.front(), pairs[pairs.size() / 2]});
  });
  return std::make_unique<PreparedCase>(entry.which, std::move(graphs), references, std::move(pairs));
}

std::vector<Entry> entries_of(const Options& options) {
  std::vector<Entry> entries;
  const std::vector<std::string> wanted = options.list("backends");
  const std::vector<int> populations = options.numbers("populations");
  for (const int population : populations) {
    if (population == 0 || population > octile_area) {
      throw Error(fmt::format("--populations: {}; allowed is 1 to {}", population, octile_area));
    }
  }
  if (options.number("graphs") == 0) throw Error("--graphs: allowed are 1 or more");
  // Benchmarks of one set follow each other, since they share its reference values.
  for (const std::string& kind : options.list("kinds")) {
    for (const int population : populations) {
      for (const int other : populations) {
        for (const Backend& backend : backends()) {
          const bool named = wanted.empty() || std::ranges::find(wanted, backend.name) != wanted.end();
          if (!named || !backend.available || backend.kind == BackendKind::reference) continue;
          for (const std::string& primitive : split_names(options.text("primitives"))) {
            if (!backend.has(parse_primitive(primitive), Precision::float32)) continue;
            const SyntheticKernel& kernel = synthetic_kernel(kind);
            SolveCase which{std::string(backend.name), primitive, kernel.vertex, kernel.edge, stopping_probability};
            which.precision = Precision::float32;
            entries.push_back({which, kernel, population, other, options.number("graphs")});
          }
        }
      }
    }
  }
  return entries;
}

void add_benchmarks(std::span<char* const> arguments) {
  const Options options(arguments, {{"populations", "4,8,12,16,24,32,48,64"},
                                    {"graphs", "32"},
                                    {"backends", ""},
                                    {"primitives", "dense-dense,dense-sparse,sparse-sparse,adaptive,rows,slices"},
                                    {"kinds", "labeled,vlabeled"},
                                    {"brief", "0"}});
  const auto last = std::make_shared<LastReferences>();
  add_solves(
      entries_of(options), options.number("brief") != 0, [last](const Entry& entry) { return prepare(entry, *last); },
      [](const Entry& entry, benchmark::UserCounters& counters) {
        counters["population"] = entry.population;
        counters["other"] = entry.other;
        counters["octile_pairs"] = population_octiles * population_octiles;
      });
}

}  // namespace
}  // namespace octile::bench

int main(int count, char** values) {
  return octile::bench::run_program("octile_bench_tiles", count, values, octile::bench::add_benchmarks);
}
