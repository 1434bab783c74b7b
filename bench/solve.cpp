// SPDX-License-Identifier: BSD-3-Clause
// Measures the pairs a second of each backend, by each primitive asked for, on the sets that bench/prepare_data wrote.
//
// usage: octile_bench_solve [--data=DIR] [--pairs=N] [--primitives=A,B,...] [--orders=A,B,...] [--lowerings=A,B,...]
//                           [--accuracies=A,B,...] [--derivatives=A,B,...] [--brief=1] [--benchmark_...] [--kokkos-...]
//
//   --data        the folder of the sets [OCTILE_BENCH_DATA]
//   --pairs       solve N pairs of each set, spread evenly over their costs [all]
//   --primitives  XMV primitives to measure [auto]
//   --orders      orders of the vertices to measure [natural]
//   --lowerings   lowerings of the edge kernel to measure [auto]
//   --accuracies  accuracies to solve for, such as 1e-6,estimated:1e-6,none; none is a residual of 1e-6 or, in float64, 1e-8 [none]
//   --derivatives what is asked for with an accuracy: none, weighted (of a weighted sum of all values), each (of every pair),
//                 twelve (of every pair, by a kernel of the same values that has eight parameters or more, three like terms),
//                 mixed (the same with unlike terms, checked against float64) [none]
//   --brief       1: roofs are measured with much less work [0]
//
// Ends with 1 where a case was not measured: an answer was wrong, a pair did not converge, the backend refused.
// OCTILE_COMMIT and OCTILE_CLOCKS, if set, go into the JSON.
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <octile/backends.hpp>
#include <octile/error.hpp>
#include <octile/lowerings.hpp>
#include <octile/primitives.hpp>

#include "arguments.hpp"
#include "data_set.hpp"
#include "precision_name.hpp"
#include "program.hpp"
#include "solve_benchmarks.hpp"
#include "solve_case.hpp"

namespace octile::bench {
namespace {

struct Workload {
  const char* data;
  const char* kind;
  const char* vertex;
  const char* edge;
};

constexpr Workload workloads[] = {
    {"nws", "labeled", "1", "gaussian(mark,0.3)"},
    {"nws", "vlabeled", "delta(label,0.5)", "1"},
    {"nws", "unlabeled", "1", "1"},
    {"ba", "labeled", "1", "gaussian(mark,0.3)"},
    {"ba", "vlabeled", "delta(label,0.5)", "1"},
    {"ba", "unlabeled", "1", "1"},
    {"mol", "mol", "delta(label,0.2)", "delta(mark,0.3)"},
    {"pdb", "pdb", "delta(label,0.2)", "gaussian(mark,0.3)"},
    {"proteins", "proteins", "delta(element,0.2)", "gaussian(length,0.3)"},
    {"drugs", "drugs", "delta(element,0.2)", "delta(order,0.3)"},
};

/// One benchmark.
struct Entry {
  SolveCase which;
  const Workload* workload;

  /// With "/lowering:factored" after the primitive if a lowering is chosen:
  /// "solve/backend:portable:openmp/primitive:auto/data:ba/kind:labeled/q:0.05/order:natural/scalar:f32"
  std::string name() const {
    const std::string method =
        which.lowering == "auto" ? which.primitive : fmt::format("{}/lowering:{}", which.primitive, which.lowering);
    // An accuracy chooses the precision itself.
    std::string scalar = which.accuracy == "none" ? std::string(precision_name(which.precision))
                                                  : fmt::format("auto/accuracy:{}", which.accuracy);
    if (which.derivatives != "none") scalar += "/derivatives:" + which.derivatives;
    return fmt::format("solve/backend:{}/primitive:{}/data:{}/kind:{}/q:{}/order:{}/scalar:{}", which.backend, method,
                       workload->data, workload->kind, which.q, which.order, scalar);
  }
};

std::vector<Entry> cases_of(const Arguments& arguments) {
  std::vector<Entry> cases;
  for (const Workload& workload : workloads) {
    if (!has_set(arguments.data, workload.data)) {
      fmt::print(stderr, "octile_bench_solve: passing over {}: there is none in {}\n", workload.data, arguments.data);
      continue;
    }
    if (!has_kind(arguments.data, workload.data, workload.kind)) {
      fmt::print(stderr, "octile_bench_solve: passing over {}, {}: {} has no reference values for it\n", workload.data,
                 workload.kind, arguments.data);
      continue;
    }
    for (const char* q : {"0.05", "0.0005"}) {
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        for (const Backend& backend : backends()) {
          const bool fits = precision == Precision::float64 || backend.single_precision;
          if (backend.kind == BackendKind::reference || !backend.available || !fits) continue;
          for (const std::string& primitive : arguments.primitives) {
            if (!backend.has(parse_primitive(primitive), precision)) continue;
            for (const std::string& order : arguments.orders) {
              for (const std::string& lowering : arguments.lowerings) {
                if (!backend.has(parse_lowering(lowering))) continue;
                for (const std::string& accuracy : arguments.accuracies) {
                  if (accuracy != "none" && precision != Precision::float64) continue;
                  for (const std::string& derivatives : arguments.derivatives) {
                    if (accuracy == "none" && derivatives != "none") continue;
                    cases.push_back({{std::string(backend.name), primitive, workload.vertex, workload.edge, q, order,
                                      lowering, precision, accuracy, derivatives},
                                     &workload});
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  if (cases.empty()) throw Error(fmt::format("{}: holds nothing to measure", arguments.data));
  return cases;
}

void add_benchmarks(std::span<char* const> given) {
  const Arguments arguments = parse_arguments(given);
  const std::vector<Entry> cases = cases_of(arguments);
  benchmark::AddCustomContext("pairs", arguments.pairs == 0 ? "all" : std::to_string(arguments.pairs));
  const auto last = std::make_shared<Last<std::vector<Graph>>>();
  const auto prepare = [last, arguments](const Entry& entry) {
    const Workload& workload = *entry.workload;
    std::vector<Graph> graphs = last->of(workload.data, [&] { return read_set(arguments.data, workload.data); });
    const auto references = read_references(arguments.data, workload.data, workload.kind, entry.which.q);
    std::vector<Pair> pairs = sample_pairs(graphs, arguments.pairs);
    return std::make_unique<PreparedCase>(entry.which, std::move(graphs), spread_evenly(references, arguments.pairs),
                                          std::move(pairs));
  };
  add_solves(cases, arguments.brief, prepare, [](const Entry&, const benchmark::UserCounters&) {});
}

}  // namespace
}  // namespace octile::bench

int main(int count, char** values) {
  return octile::bench::run_program("octile_bench_solve", count, values, octile::bench::add_benchmarks);
}
