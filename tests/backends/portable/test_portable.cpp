// SPDX-License-Identifier: BSD-3-Clause
// The portable backend as C++ users use it: compile-time kernels, the XMV
// primitives one by one, execution-space instances, labels for tools.
#include <octile/backends.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/base_kernels.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/graphs/views.hpp>
#include <octile/pairs/schedule.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/portable/paper/tiling_blocking.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "common/graphs.hpp"
#include "common/settings.hpp"
#include "common/tolerances.hpp"

namespace {

using namespace octile;

using Space = Kokkos::DefaultExecutionSpace;

struct Bond {
  std::int64_t order;
  double length;
};

const auto read_kind = [](const std::vector<Graph>& graphs) {
  return [&graphs](std::size_t g, std::size_t v) {
    return static_cast<int>(std::get<std::vector<std::int64_t>>(graphs[g].vertex_labels().at("kind"))[v]);
  };
};

const auto read_bond = [](const std::vector<Graph>& graphs) {
  return [&graphs](std::size_t g, std::size_t e) {
    const LabelColumns& labels = graphs[g].edge_labels();
    return Bond{std::get<std::vector<std::int64_t>>(labels.at("order"))[e],
                std::get<std::vector<double>>(labels.at("length"))[e]};
  };
};

auto bond_kernel() {
  return TensorProduct(field<&Bond::order>(KroneckerDelta(0.5)), field<&Bond::length>(SquareExponential(0.3)));
}

KernelSpec same_at_run_time(const Stopping& stopping) {
  return {Expression::parse("delta(kind,0.4)"), Expression::parse("delta(order,0.5)*gaussian(length,0.3)"), stopping};
}

/// All pairs of the small graphs, and their values by the reference. Solving changes nothing here, so that instances of
/// the execution space may share it.
class JudgedPairs {
 public:
  JudgedPairs() {
    make_pair_solver(BackendId::reference, graphs_, same_at_run_time(stopping_), Precision::float64, {})
        ->solve(pairs_, expected_);
  }

  const auto& matrices() const { return matrices_; }

  /// Solves the pairs by a primitive on all instances at once, and compares the results of each with the reference.
  /// Each has a host thread, since a launch on a CPU returns only when it is done.
  template <class Instances, class Xmv>
  void check_at_once(const Instances& instances, const Xmv& xmv) const {
    std::vector<Batch> batches;
    batches.reserve(instances.size());
    for (const Space& space : instances) batches.push_back(batch(space, batches.size(), xmv.threads()));

    std::vector<std::thread> hosts;
    hosts.reserve(batches.size());
    for (const Batch& each : batches) {
      hosts.emplace_back([&] {
        each.workspace.start_over(each.space);
        portable::solve_from_next(each.space, set_, KroneckerDelta(0.4), bond_kernel(), xmv, each.pairs, each.results,
                                  each.workspace, SolveOptions{test::tolerance::solve(Precision::float64), 1000});
      });
    }
    for (std::thread& host : hosts) host.join();
    for (const Space& space : instances) space.fence();

    for (const Batch& each : batches) check(each);
  }

 private:
  using Memory = Space::memory_space;

  /// The pairs of one instance: all pairs, in cyclic order from number `first` on.
  struct Batch {
    Space space;
    std::size_t first;
    Kokkos::View<const Pair*, Memory> pairs;
    Kokkos::View<PairResult*, Memory> results;
    portable::Workspace<double, Memory> workspace;
  };

  /// Each instance begins with another pair, so that one that used another's memory would get wrong values.
  Batch batch(const Space& space, std::size_t number, int threads) const {
    const std::size_t first = number * 17 % pairs_.size();
    std::vector<Pair> order = pairs_;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
    const std::size_t slots = std::min(portable::concurrent_teams(space, threads), order.size());
    Batch made{space, first, octile::detail::to_memory<Memory>(space, "pairs", order),
               Kokkos::View<PairResult*, Memory>(Kokkos::view_alloc(space, "octile::results"), order.size()),
               portable::Workspace<double, Memory>(space, largest_pair(), slots)};
    space.fence();
    return made;
  }

  /// n·m.
  std::size_t largest_pair() const {
    const auto largest = std::ranges::max_element(graphs_, {}, &Graph::vertex_count);
    const auto n = static_cast<std::size_t>(largest->vertex_count());
    return n * n;
  }

  void check(const Batch& batch) const {
    const auto results = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), batch.results);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const std::size_t number = (batch.first + k) % pairs_.size();
      const double expected = expected_[number].value;
      CAPTURE(batch.first);
      CAPTURE(graphs_[static_cast<std::size_t>(pairs_[number].first)].name());
      CAPTURE(graphs_[static_cast<std::size_t>(pairs_[number].second)].name());
      CHECK(results(k).status == Status::converged);
      CHECK(test::relative_error(results(k).value, expected) <=
            test::tolerance::value(Precision::float64, expected, stopping_));
    }
  }

  Space space_;
  std::vector<Graph> graphs_ = test::small_graphs();
  Stopping stopping_{StoppingMeaning::weight, 0.05};
  std::vector<Pair> pairs_ = costliest_first(CostModel(graphs_));
  std::vector<PairResult> expected_ = std::vector<PairResult>(pairs_.size());
  OctileSet<double, int, Bond, Memory> set_ =
      pack_octiles<double, int, Bond>(space_, graphs_, stopping_, read_kind(graphs_), read_bond(graphs_));
  portable::DenseMatrices<double, Bond, Memory> matrices_ =
      portable::dense_matrices<double, Bond>(space_, graphs_, read_bond(graphs_));
};

TEST_CASE("several instances of an execution space work at once with every octile primitive and a dense one") {
  constexpr int lanes = portable::lanes_of<Space>;
  constexpr int threads = portable::fine_grained<Space> ? portable::large_team : 1;
  const JudgedPairs judged;
  const auto instances = Kokkos::Experimental::partition_space(Space(), 1, 1);
  for (const PrimitiveFamily family : {PrimitiveFamily::dense_dense, PrimitiveFamily::dense_sparse,
                                       PrimitiveFamily::sparse_sparse, PrimitiveFamily::adaptive}) {
    CAPTURE(Primitive{family}.name());
    // The tiles of the small graphs include pairs for each case of these thresholds.
    const AdaptiveThresholds thresholds{7, 16};
    judged.check_at_once(instances, portable::OctileXmv<double, Bond, lanes, threads / lanes>(family, thresholds));
  }
  judged.check_at_once(instances, portable::RowsXmv(threads));
  judged.check_at_once(
      instances, portable::TilingBlocking<double, Bond, Space::memory_space, lanes, 8, 8>(judged.matrices(), 8, 8));
}

std::vector<std::string>& kernel_labels() {
  static std::vector<std::string> labels;
  return labels;
}

TEST_CASE("every kernel that the library launches has a label that starts with octile::") {
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
      [](const char* name, std::uint32_t, std::uint64_t*) { kernel_labels().emplace_back(name); });
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(
      [](const char* name, std::uint32_t, std::uint64_t*) { kernel_labels().emplace_back(name); });
  kernel_labels().clear();

  const std::vector<Graph> graphs = test::small_graphs();
  const GramResult result = gram(graphs, same_at_run_time(Stopping(StoppingMeaning::weight, 0.1)));

  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr);
  CHECK(result.size == graphs.size());
  CHECK(!kernel_labels().empty());
  for (const std::string& label : kernel_labels()) {
    CAPTURE(label);
    const bool ours = label.starts_with("octile::") || label.starts_with("Kokkos::");
    CHECK(ours);
  }
}

TEST_CASE("a graph in Views is the graph of the same arrays on the host") {
  const Space space;
  const std::vector<int> rows{0, 1, 3, 4};
  const std::vector<int> columns{1, 0, 2, 1};
  const std::vector<float> weights{0.5F, 0.5F, 2.0F, 2.0F};
  const auto to_view = [&](const auto& values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    Kokkos::View<Value*, Space> view("octile::test_view", values.size());
    Kokkos::deep_copy(view, Kokkos::View<const Value*, Kokkos::HostSpace>(values.data(), values.size()));
    return view;
  };
  const Graph graph =
      graph_from_views(space, "path", to_view(rows), to_view(columns), to_view(weights),
                       {{"element", label_column(space, to_view(std::vector<int>{6, 7, 6}))}},
                       {{"length", label_column(space, to_view(std::vector<double>{1.5, 1.5, 1.25, 1.25}))}});
  CHECK(graph.vertex_count() == 3);
  REQUIRE(graph.edge_count() == 2);
  CHECK(graph.edges()[1].i == 1);
  CHECK(graph.edges()[1].j == 2);
  CHECK(graph.edges()[1].weight == 2.0);
  CHECK(std::get<std::vector<std::int64_t>>(graph.vertex_labels().at("element")) == std::vector<std::int64_t>{6, 7, 6});
  CHECK(std::get<std::vector<double>>(graph.edge_labels().at("length")) == std::vector<double>{1.5, 1.25});
}

}  // namespace
