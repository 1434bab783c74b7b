// SPDX-License-Identifier: BSD-3-Clause
// Measures the pairs a second of each backend, by each primitive asked for, on the sets that bench/prepare_data wrote.
//
// usage: octile_bench_solve [--data=DIR] [--pairs=N] [--primitives=A,B,...] [--orders=A,B,...] [--lowerings=A,B,...]
//                           [--benchmark_...] [--kokkos-...]
//
//   --data        the folder of the sets [OCTILE_BENCH_DATA]
//   --pairs       solve N pairs of each set, spread evenly over their costs [all]
//   --primitives  XMV primitives to measure [auto]
//   --orders      orders of the vertices to measure [natural]
//   --lowerings   lowerings of the edge kernel to measure [auto]
//
// Ends with 1 where a case was not measured: an answer was wrong, a pair did not converge, the backend refused.
// OCTILE_COMMIT, if set, goes into the JSON.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
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
#include "execution.hpp"
#include "reporters.hpp"
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

/// Runs benchmarks one after the other. The repetitions of one share what was made ready for it.
class Runner {
 public:
  explicit Runner(Arguments arguments) : arguments_(std::move(arguments)) {}

  void run(benchmark::State& state, const SolveCase& which) {
    prepare(which);
    if (!refusal_.empty()) {
      state.SkipWithError(refusal_.c_str());
      return;
    }
    for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(prepared_->timed_solve());
    state.SetLabel(prepared_->description());
    const auto pairs = static_cast<double>(prepared_->pair_count());
    state.counters["pairs"] = pairs;
    state.counters["pairs/s"] = benchmark::Counter(pairs, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["device_ms"] = 1e3 * prepared_->device_seconds();
    state.counters["max_error"] = prepared_->largest_error();
    state.counters["cg_iterations_median"] = prepared_->median_iterations();
    state.counters["cg_iterations_max"] = prepared_->most_iterations();
    state.counters["unconverged"] = static_cast<double>(prepared_->unconverged());
  }

  bool all_measured() const { return all_measured_; }

 private:
  void prepare(const SolveCase& which) {
    if (which.name() == name_) return;
    name_ = which.name();
    prepared_.reset();  // before the next: a device has room for one
    try {
      prepared_ = std::make_unique<PreparedCase>(which, arguments_.data, arguments_.pairs);
      refusal_ = prepared_->fault();
    } catch (const std::exception& error) {
      refusal_ = error.what();
    }
    all_measured_ = all_measured_ && refusal_.empty();
  }

  Arguments arguments_;
  std::string name_;
  std::unique_ptr<PreparedCase> prepared_;
  std::string refusal_;
  bool all_measured_ = true;
};

std::vector<SolveCase> cases_of(const Arguments& arguments) {
  std::vector<SolveCase> cases;
  for (const Workload& workload : workloads) {
    if (!has_set(arguments.data, workload.data)) {
      fmt::print(stderr, "octile_bench_solve: passing over {}: there is none in {}\n", workload.data, arguments.data);
      continue;
    }
    for (const char* q : {"0.05", "0.0005"}) {
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        for (const Backend& backend : backends()) {
          const bool fits = precision == Precision::float64 || backend.single_precision;
          if (backend.name == "reference" || !backend.available || !fits) continue;
          for (const std::string& primitive : arguments.primitives) {
            if (!backend.has(parse_primitive(primitive), precision)) continue;
            for (const std::string& order : arguments.orders) {
              for (const std::string& lowering : arguments.lowerings) {
                if (!backend.has(parse_lowering(lowering))) continue;
                cases.push_back({std::string(backend.name), primitive, workload.data, workload.kind, workload.vertex,
                                 workload.edge, q, order, lowering, precision});
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

void add_context(const Arguments& arguments) {
  benchmark::AddCustomContext("octile_version", OCTILE_VERSION);
  benchmark::AddCustomContext("kokkos_version", kokkos_version());
  benchmark::AddCustomContext("execution_spaces", execution_spaces());
  benchmark::AddCustomContext("pairs", arguments.pairs == 0 ? "all" : std::to_string(arguments.pairs));
  if (const char* commit = std::getenv("OCTILE_COMMIT")) benchmark::AddCustomContext("git_commit", commit);
}

/// The command line with defaults before it, which it can overrule: the median of repetitions is what counts.
std::vector<char*> with_defaults(int count, char** values) {
  static char repetitions[] = "--benchmark_repetitions=3";
  static char display[] = "--benchmark_display_aggregates_only=true";
  std::vector<char*> all{values[0], repetitions, display};
  all.insert(all.end(), values + 1, values + count);
  all.push_back(nullptr);
  return all;
}

bool writes_file(int count, char** values) {
  for (int k = 1; k < count; ++k) {
    if (std::string_view(values[k]).starts_with("--benchmark_out=")) return true;
  }
  return false;
}

int run(int count, char** values) {
  const ExecutionScope execution(count, values);
  const bool to_file = writes_file(count, values);
  std::vector<char*> all = with_defaults(count, values);
  count = static_cast<int>(all.size()) - 1;
  benchmark::Initialize(&count, all.data());
  const Arguments arguments = parse_arguments(count, all.data());
  add_context(arguments);
  Runner runner(arguments);
  for (const SolveCase& which : cases_of(arguments)) {
    benchmark::RegisterBenchmark(which.name().c_str(),
                                 [which, &runner](benchmark::State& state) { runner.run(state, which); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  MedianReporter display;
  JsonReporter file;
  benchmark::RunSpecifiedBenchmarks(&display, to_file ? &file : nullptr);
  benchmark::Shutdown();
  return runner.all_measured() ? 0 : 1;
}

}  // namespace
}  // namespace octile::bench

int main(int count, char** values) {
  try {
    return octile::bench::run(count, values);
  } catch (const std::exception& error) {
    fmt::print(stderr, "octile_bench_solve: {}\n", error.what());
    return 2;
  }
}
