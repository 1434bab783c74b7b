// SPDX-License-Identifier: BSD-3-Clause
// One call for graphs in Views: the values of the door that it stands on and of the reference, results in order, errors that say what is wrong.
#include <octile/backends.hpp>
#include <octile/gram.hpp>
#include <octile/gram_in_views.hpp>
#include <octile/graphs_in_views.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "common/graphs.hpp"
#include "common/message_of.hpp"
#include "common/tolerances.hpp"
#include "common/views.hpp"

namespace {

using namespace octile;
using namespace octile::test;

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

const Stopping stopping(StoppingMeaning::probability, 0.05);
constexpr GraphSolveOptions precise{.solve = {test::tolerance::solve(Precision::float64), 1000}};

auto batch_of(const std::vector<Graph>& graphs) { return test::batch_of<Memory>(Arrays(graphs)); }

template <class View>
auto on_host(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// No kernel of edges: above 1.
struct Above {
  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(const test::Bond&, const test::Bond&) const {
    return T(1.5);
  }
};

TEST_CASE("a Gram matrix of graphs in Views is the reference's, by C++ types and by text") {
  const std::vector<Graph> graphs = test::small_graphs();
  const std::size_t n = graphs.size();
  const GramResult judged = gram(graphs, same_at_run_time(stopping), {.backend = BackendId::reference});
  const auto check = [&](const auto& found, Precision precision) {
    const auto values = on_host(found.values);
    const auto results = on_host(found.results);
    REQUIRE(values.extent(0) == n);
    REQUIRE(results.extent(0) == pair_count(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) {
        const double expected = judged.values[i * n + j];
        CHECK(std::abs(values(i, j) - expected) <= test::tolerance::value(precision) * expected);
        CHECK(values(j, i) == values(i, j));
        CHECK(results(pair_index(i, j, n)).value == values(i, j));
        CHECK(results(pair_index(i, j, n)).status == Status::converged);
      }
    }
  };
  const Space space;
  const KernelSpec spec = same_at_run_time(stopping);
  check(gram(space, batch_of(graphs), typed_kernel(stopping), precise), Precision::float64);
  check(gram(space, batch_of(graphs), TypedKernel{spec.vertex, spec.edge, stopping}, precise), Precision::float64);
  check(gram<float>(space, batch_of(graphs), typed_kernel(stopping), {.solve = {1e-6, 1000}}), Precision::float32);
}

TEST_CASE("two batches have a rectangle, with the bits of `solve`, normalised where that is asked") {
  const std::vector<Graph> graphs = test::small_graphs();
  const std::vector<Graph> some(graphs.begin(), graphs.begin() + 3);
  const Space space;
  GraphSolveOptions options = precise;
  options.normalize = Normalize::yes;
  const auto block = gram(space, batch_of(some), batch_of(graphs), typed_kernel(stopping), options);

  const auto rows = prepare(space, batch_of(some));
  const auto columns = prepare(space, batch_of(graphs));
  SolveHandle<Space> handle;
  const Kokkos::View<double**, Memory> values("values", some.size(), graphs.size());
  solve(space, handle, rows, columns, AllPairs(), typed_kernel(stopping), Outputs{values}, options);
  space.fence();
  const auto expected = on_host(values);
  const auto found = on_host(block.values);
  const auto results = on_host(block.results);
  for (std::size_t i = 0; i < some.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) {
      CHECK(found(i, j) == expected(i, j));
      CHECK(found(i, j) <= 1 + 1e-12);
      CHECK(results(i * graphs.size() + j).status == Status::converged);
    }
    CHECK(found(i, i) == doctest::Approx(1).epsilon(1e-12));
  }
}

TEST_CASE("both doors have the same bits, on the fly on a CPU") {
  if constexpr (std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>) {
    const std::vector<Graph> graphs = test::small_graphs();
    const KernelSpec spec = same_at_run_time(stopping);
    GramOptions options;
    options.backend = BackendId::portable_openmp;
    options.lowering = Lowering::on_the_fly;
    options.solve = precise.solve;
    const GramResult by_graphs = gram(graphs, spec, options);

    GraphSolveOptions in_views = precise;
    in_views.lowering = Lowering::on_the_fly;
    in_views.solve.tolerance /= 0.9;  // a tenth is kept for factors
    const auto by_views = gram(Space(), batch_of(graphs), TypedKernel{spec.vertex, spec.edge, stopping}, in_views);
    for (std::size_t k = 0; k < by_graphs.values.size(); ++k) {
      CHECK(by_views.values(k / graphs.size(), k % graphs.size()) == by_graphs.values[k]);
    }
  }
}

TEST_CASE("a host's instance solves beside a device's, in the same program") {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const std::vector<Graph> graphs = test::small_graphs();
  const Host host;
  const auto there = gram(host, test::batch_of<Host::memory_space>(Arrays(graphs)), typed_kernel(stopping), precise);
  require_converged(host, there.results);
  const auto here = gram(Space(), batch_of(graphs), typed_kernel(stopping), precise);
  const auto of_device = on_host(here.values);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) {
      CHECK(std::abs(there.values(i, j) / of_device(i, j) - 1) <= test::tolerance::value(Precision::float64));
    }
  }
}

TEST_CASE("x of one pair is the reference's, and sums to its value") {
  const std::vector<Graph> graphs = test::small_graphs();
  const Space space;
  for (const Pair pair : {Pair{1, 4}, Pair{4, 1}, Pair{3, 3}}) {
    const Graph& first = graphs[static_cast<std::size_t>(pair.first)];
    const Graph& second = graphs[static_cast<std::size_t>(pair.second)];
    const NodewiseResult judged =
        nodewise(first, second, same_at_run_time(stopping), {.backend = BackendId::reference});
    const auto found = nodewise(space, batch_of(graphs), pair, typed_kernel(stopping), precise);
    const auto x = on_host(found.similarity);
    REQUIRE(x.extent(0) == static_cast<std::size_t>(first.vertex_count()));
    REQUIRE(x.extent(1) == static_cast<std::size_t>(second.vertex_count()));
    double sum = 0;
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      for (std::size_t j = 0; j < x.extent(1); ++j) {
        const double expected = judged.similarity[i * x.extent(1) + j];
        CHECK(std::abs(x(i, j) - expected) <= test::tolerance::value(Precision::float64) * expected);
        sum += x(i, j) / static_cast<double>(x.size());
      }
    }
    CHECK(found.result.status == Status::converged);
    CHECK(sum == doctest::Approx(found.result.value).epsilon(1e-12));
  }
}

TEST_CASE("a pair that does not converge keeps its value and says so; starting probabilities are the kernel's") {
  std::vector<Graph> graphs = test::small_graphs();
  const Space space;
  GraphSolveOptions few = precise;
  few.solve.max_iterations = 2;
  const auto left = gram(space, batch_of(graphs), typed_kernel(stopping), few);
  const auto results = on_host(left.results);
  int unconverged = 0;
  for (std::size_t k = 0; k < results.extent(0); ++k) {
    unconverged += results(k).status == Status::iteration_limit ? 1 : 0;
    CHECK(results(k).value > 0);
  }
  CHECK(unconverged > 0);

  std::vector<double> starting(static_cast<std::size_t>(graphs[4].vertex_count()), 1);
  starting[0] = 3;
  graphs[4].set_starting_weights(starting);
  const KernelSpec spec = same_at_run_time(stopping);
  const GramResult judged = gram(graphs, spec, {.backend = BackendId::reference});
  const auto found =
      gram(space, batch_of(graphs),
           TypedKernel{spec.vertex, spec.edge, stopping, starting_probabilities(space, graphs)}, precise);
  const auto values = on_host(found.values);
  for (std::size_t k = 0; k < judged.values.size(); ++k) {
    const double expected = judged.values[k];
    CHECK(std::abs(values(k / graphs.size(), k % graphs.size()) - expected) <=
          test::tolerance::value(Precision::float64) * expected);
  }
}

TEST_CASE("what is wrong is said in one line, and a batch without graphs has a matrix of none") {
  const std::vector<Graph> graphs = test::small_graphs();
  const Space space;
  Arrays wrong(graphs);
  wrong.weights[0] = -1;
  CHECK(test::contains(
      test::message_of([&] { (void)gram(space, test::batch_of<Memory>(wrong), typed_kernel(stopping)); }), "-1"));
  const TypedKernel above{KroneckerDelta(0.4), Above(), stopping};
  const std::string said = test::message_of([&] { (void)gram(space, batch_of(graphs), above); });
  CHECK(test::contains(said, "edge kernel"));
  CHECK(test::contains(said, "1.5"));
  CHECK(said == test::message_of([&] { (void)nodewise(space, batch_of(graphs), {0, 1}, above); }));
  const auto n = static_cast<std::int32_t>(graphs.size());
  const std::string number = std::to_string(n);
  CHECK(test::message_of([&] {
          (void)nodewise(space, batch_of(graphs), {0, n}, typed_kernel(stopping));
        }) == "graphs 0 and " + number + " of a batch of " + number + "; allowed are numbers from 0 to one less");
  CHECK(test::contains(test::message_of([&] {
                         (void)gram(space, batch_of(graphs), test::batch_of<Memory>(wrong), typed_kernel(stopping));
                       }),
                       "of the columns: "));
  const auto none = gram(space, batch_of({}), typed_kernel(stopping));
  CHECK(none.values.size() == 0);
  CHECK(none.results.size() == 0);
}

}  // namespace
