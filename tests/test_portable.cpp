// SPDX-License-Identifier: BSD-3-Clause
// The portable backend as a C++ user has it: compile-time kernels, the XMV
// primitives one by one, execution-space instances, labels for tools.
#include <octile/backends.hpp>
#include <octile/base_kernels.hpp>
#include <octile/graph_views.hpp>
#include <octile/portable_gram.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "graphs.hpp"
#include "tolerances.hpp"

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

TEST_CASE("compile-time kernels give what the run-time expression of the same formula gives") {
  const std::vector<Graph> graphs = test::small_graphs();
  const Space space;
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const auto set = pack_octiles<double, int, Bond>(space, graphs, stopping, read_kind(graphs), read_bond(graphs));
  const SolveOptions options{test::tolerance::solve(Precision::float64), 1000};
  const auto typed = portable::gram(space, graphs, set, KroneckerDelta(0.4), bond_kernel(), options);
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), typed.values);

  const GramResult judged = gram(graphs, same_at_run_time(stopping), {.backend = "reference", .solve = options});
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) {
      const double expected = judged.values[i * graphs.size() + j];
      CHECK(std::abs(values(i, j) - expected) <= test::tolerance::value(Precision::float64) * expected);
      CHECK(values(i, j) == values(j, i));
    }
  }
}

TEST_CASE("several instances of an execution space work at once, each on its own") {
  const std::vector<Graph> graphs = test::small_graphs();
  const Stopping stopping(StoppingMeaning::weight, 0.05);
  const auto instances = Kokkos::Experimental::partition_space(Space(), 1, 1);
  std::vector<portable::DeviceGram<Space::memory_space>> grams;
  for (const Space& space : instances) {
    const auto set = pack_octiles<double, int, Bond>(space, graphs, stopping, read_kind(graphs), read_bond(graphs));
    grams.push_back(portable::gram(space, graphs, set, KroneckerDelta(0.4), bond_kernel()));
  }
  for (const Space& space : instances) space.fence();
  const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), grams[0].values);
  const auto second = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), grams[1].values);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) CHECK(first(i, j) == second(i, j));
  }
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
