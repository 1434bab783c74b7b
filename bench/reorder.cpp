// SPDX-License-Identifier: BSD-3-Clause
// Measures the orders of the vertices: octiles before and after, and milliseconds a graph, on the host's cores.
//
// usage: octile_bench_reorder [--data=DIR] [--sets=A,...] [--orders=A,...] [--graphs=N] [...]
//
//   --data     a folder that bench/prepare_data wrote; without one, sets of our own: nws and ba [OCTILE_BENCH_DATA]
//   --sets     [nws,ba,mol,pdb,proteins,drugs]
//   --orders   [all; those that need coordinates are passed over where a set has none]
//   --graphs   of each set, at most [160]
//   --threads  [1]
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <octile/error.hpp>
#include <octile/graph_pattern.hpp>
#include <octile/orders.hpp>
#include <octile/reorder_graphs.hpp>

#include "data_set.hpp"
#include "prepared.hpp"
#include "program.hpp"
#include "synthetic.hpp"

namespace octile::bench {
namespace {

/// Vertices of the graphs of our own sets.
constexpr int synthetic_vertices = 96;

/// Ordering a set, as a case of `Prepared`.
class Reordering {
 public:
  Reordering(std::vector<Graph> graphs, const reorder::Order& order, int threads)
      : graphs_(std::move(graphs)), order_(order) {
    options_.threads = threads;
  }

  double seconds() {
    const auto start = std::chrono::steady_clock::now();
    orders_ = *reorder::reorder_graphs(graphs_, order_, options_);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Checks orders by reordering the graphs and counting their octiles from the elements.
  std::string fault() {
    seconds();
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const reorder::GraphOrder& done = orders_[g];
      if (!reorder::is_permutation_of(done.order, graphs_[g].vertex_count())) {
        return fmt::format("wrong answer: graph {} got no permutation", graphs_[g].name());
      }
      const Graph graph = graphs_[g].reordered(done.order);
      const reorder::TileCounts counts =
          reorder::count_tiles(reorder::pattern_of(graph), reorder::natural_order(graph.vertex_count()));
      if (counts.tiles != done.reordered.tiles) {
        return fmt::format("wrong answer: graph {} has {} octiles, not {}", graph.name(), counts.tiles,
                           done.reordered.tiles);
      }
    }
    return {};
  }

  void report(benchmark::State& state) const {
    reorder::TileCounts natural;
    reorder::TileCounts reordered;
    for (const reorder::GraphOrder& done : orders_) {
      natural += done.natural;
      reordered += done.reordered;
    }
    const auto graphs = static_cast<double>(graphs_.size());
    state.counters["graphs"] = graphs;
    state.counters["tiles_natural"] = static_cast<double>(natural.tiles) / graphs;
    state.counters["tiles"] = static_cast<double>(reordered.tiles) / graphs;
    state.counters["fill"] = reordered.fill();
    state.counters["elements"] = static_cast<double>(reordered.elements) / graphs;
    state.counters["cores"] = options_.threads;
    state.counters["graphs/s"] = benchmark::Counter(graphs, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["ms_per_graph"] =
        benchmark::Counter(graphs / 1e3, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  }

 private:
  std::vector<Graph> graphs_;
  const reorder::Order& order_;
  reorder::ReorderOptions options_;
  std::vector<reorder::GraphOrder> orders_;
};

std::vector<Graph> graphs_of(const std::string& folder, const std::string& set, int most) {
  if (folder.empty()) return synthetic_graphs(set, synthetic_vertices, most);
  return spread_evenly(read_set(folder, set), static_cast<std::size_t>(most));
}

/// Whether a set exists.
bool has(const std::string& folder, const std::string& set) {
  return folder.empty() ? set == "nws" || set == "ba" : has_set(folder, set);
}

void add_benchmarks(std::span<char* const> arguments) {
  const Options options(arguments, {{"data", default_folder()},
                                    {"sets", "nws,ba,mol,pdb,proteins,drugs"},
                                    {"orders", ""},
                                    {"graphs", "160"},
                                    {"threads", "1"}});
  std::vector<std::string> orders = options.list("orders");
  if (orders.empty()) {
    for (const reorder::Order& order : reorder::orders()) orders.emplace_back(order.name);
  }
  const std::string data = options.text("data");
  const int most = options.number("graphs");
  const int threads = options.number("threads");
  const Benchmarks<Reordering> all;
  for (const std::string& set : options.list("sets")) {
    if (!has(data, set)) continue;
    const bool located = reorder::pattern_of(graphs_of(data, set, 1).front()).dimensions > 0;
    for (const std::string& order_name : orders) {
      const reorder::Order& order = reorder::find_order(reorder::parse_order(order_name));
      if (order.needs_coordinates && !located) continue;
      const std::string name = fmt::format("reorder/order:{}/data:{}", order.name, set);
      const auto make = [=, &order] {
        return std::make_unique<Reordering>(graphs_of(data, set, most), order, threads);
      };
      all.add(name, make, [](benchmark::State& state, const Reordering& done) { done.report(state); });
    }
  }
}

}  // namespace
}  // namespace octile::bench

int main(int count, char** values) {
  return octile::bench::run_program("octile_bench_reorder", count, values, octile::bench::add_benchmarks);
}
