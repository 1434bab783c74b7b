// SPDX-License-Identifier: BSD-3-Clause
// Measures pairs/s against the size of graphs, and time against their number, on graphs of its own, by each backend.
//
// usage: octile_bench_scaling [--sizes=N,...] [--graphs=N] [--counts=N,...] [--vertices=N] [--backends=A,...] [...]
//
//   --sizes     vertices, with --graphs graphs of each size [8,16,32,48,64,96,128,192,256]
//   --graphs    [64]
//   --counts    numbers of graphs, of --vertices vertices each [2,4,8,16,32,64,128,256,512,1024]
//   --vertices  [64]
//   --families  nws, ba [nws,ba]
//   --kinds     labeled: Gaussian edge labels; vlabeled: vertex labels [labeled,vlabeled]
//   --backends  of the backends that can run here [all but the reference]
//   --scalars   f32, f64; backends without f32 are passed over [f32]
//   --brief     1: roofs are measured with much less work [0]
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

#include "precision_name.hpp"
#include "program.hpp"
#include "solve_benchmarks.hpp"
#include "solve_case.hpp"
#include "synthetic.hpp"

namespace octile::bench {
namespace {

/// The number of pairs that are compared with reference values.
constexpr std::size_t checked_pairs = 3;

struct Entry {
  std::string sweep;  ///< "size" or "count"
  std::string family;
  SyntheticKernel kernel;
  int vertices;
  int graphs;
  SolveCase which;

  std::string set_name() const { return fmt::format("{} {} {} {}", family, kernel.kind, vertices, graphs); }

  std::string name() const {
    return fmt::format("scaling/sweep:{}/backend:{}/data:{}/kind:{}/n:{}/graphs:{}/scalar:{}", sweep, which.backend,
                       family, kernel.kind, vertices, graphs, precision_name(which.precision));
  }
};

std::vector<std::string> backends_of(const Options& options) {
  const std::vector<std::string> wanted = options.list("backends");
  for (const std::string& name : wanted) parse_backend(name);
  std::vector<std::string> names;
  for (const Backend& backend : backends()) {
    const bool named = std::ranges::find(wanted, backend.name) != wanted.end();
    if (backend.available && (wanted.empty() ? backend.name != "reference" : named)) names.emplace_back(backend.name);
  }
  return names;
}

std::vector<Entry> entries_of(const Options& options) {
  std::vector<Entry> entries;
  const auto add = [&](const char* sweep, int vertices, int graphs) {
    for (const std::string& family : options.list("families")) {
      for (const std::string& kind : options.list("kinds")) {
        const SyntheticKernel& kernel = synthetic_kernel(kind);
        for (const std::string& backend : backends_of(options)) {
          for (const std::string& scalar : options.list("scalars")) {
            const Precision precision = scalar == "f64" ? Precision::float64 : Precision::float32;
            if (precision == Precision::float32 && !find_backend(parse_backend(backend)).single_precision) continue;
            SolveCase which{backend, "auto", kernel.vertex, kernel.edge};
            which.precision = precision;
            entries.push_back({sweep, family, kernel, vertices, graphs, which});
          }
        }
      }
    }
  };
  for (const int vertices : options.numbers("sizes")) add("size", vertices, options.number("graphs"));
  for (const int graphs : options.numbers("counts")) add("count", options.number("vertices"), graphs);
  return entries;
}

void add_benchmarks(std::span<char* const> arguments) {
  const Options options(arguments, {{"sizes", "8,16,32,48,64,96,128,192,256"},
                                    {"graphs", "64"},
                                    {"counts", "2,4,8,16,32,64,128,256,512,1024"},
                                    {"vertices", "64"},
                                    {"families", "nws,ba"},
                                    {"kinds", "labeled,vlabeled"},
                                    {"backends", ""},
                                    {"scalars", "f32"},
                                    {"brief", "0"}});
  const auto last = std::make_shared<Last<std::vector<ReferenceValue>>>();
  const auto prepare = [last](const Entry& entry) {
    std::vector<Graph> graphs = synthetic_graphs(entry.family, entry.vertices, entry.graphs);
    const auto& references = last->of(entry.set_name(), [&] {
      return synthetic_references(graphs, entry.kernel, entry.which.q, sample_pairs(graphs, checked_pairs));
    });
    std::vector<Pair> pairs = sample_pairs(graphs, 0);
    return std::make_unique<PreparedCase>(entry.which, std::move(graphs), references, std::move(pairs));
  };
  const auto count = [](const Entry& entry, benchmark::UserCounters& counters) {
    counters["n"] = entry.vertices;
    counters["graphs"] = entry.graphs;
  };
  add_solves(entries_of(options), options.number("brief") != 0, prepare, count);
}

}  // namespace
}  // namespace octile::bench

int main(int count, char** values) {
  return octile::bench::run_program("octile_bench_scaling", count, values, octile::bench::add_benchmarks);
}
