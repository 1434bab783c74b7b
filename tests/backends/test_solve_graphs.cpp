// SPDX-License-Identifier: BSD-3-Clause
// Graphs in the caller's Views, solved into the caller's Views: the same values as from files, no wait, faults reported.
#include <octile/backends.hpp>
#include <octile/exponential.hpp>
#include <octile/gram.hpp>
#include <octile/graphs/rows.hpp>
#include <octile/graphs_in_views.hpp>
#include <octile/solve_graphs.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
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

template <class T>
Kokkos::View<T*, Memory> on_device(const std::vector<T>& values) {
  return test::view_of<Memory>(values);
}

auto batch_of(const Arrays& arrays) { return test::batch_of<Memory>(arrays); }

Capacity capacity_of(const std::vector<Graph>& graphs) {
  Capacity capacity{graphs.size(), 0, 0, 0};
  for (const Graph& graph : graphs) {
    const auto vertices = static_cast<std::size_t>(graph.vertex_count());
    capacity.vertices += vertices;
    capacity.entries += 2 * graph.edge_count();
    capacity.vertices_of_largest = std::max(capacity.vertices_of_largest, vertices);
  }
  return capacity;
}

template <class View>
auto on_host(const View& view) {
  Space().fence();
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// The Gram matrix by the reference.
std::vector<double> judged(const std::vector<Graph>& graphs, const Stopping& stopping) {
  return gram(graphs, same_at_run_time(stopping), {.backend = BackendId::reference}).values;
}

constexpr GraphSolveOptions precise{.solve = {test::tolerance::solve(Precision::float64), 1000}};

/// Graphs that are prepared, with a kernel and what the reference says of them.
struct PreparedCase {
  std::vector<Graph> graphs;
  std::int32_t n = static_cast<std::int32_t>(graphs.size());
  Space space;
  Stopping stopping{StoppingMeaning::probability, 0.05};
  decltype(typed_kernel(stopping)) kernel = typed_kernel(stopping);
  decltype(prepare(space, batch_of(Arrays(graphs)), capacity_of(graphs))) prepared =
      prepare(space, batch_of(Arrays(graphs)), capacity_of(graphs));
  SolveHandle<Space> handle;

  explicit PreparedCase(std::vector<Graph> given) : graphs(std::move(given)) {}

  std::vector<double> values() const { return judged(graphs, stopping); }

  template <class Pairs, class Given>
  void solve(const Pairs& pairs, const Given& outputs, const GraphSolveOptions& options = precise) {
    solve_by(kernel, pairs, outputs, options);
  }
  /// With another kernel.
  template <class Kernel, class Pairs, class Given>
  void solve_by(const Kernel& other, const Pairs& pairs, const Given& outputs,
                const GraphSolveOptions& options = precise) {
    octile::solve(space, handle, prepared, pairs, other, outputs, options);
  }
};

PreparedCase small_case() { return PreparedCase(test::small_graphs()); }
PreparedCase two_graphs() { return PreparedCase({test::random_graph(12, 0.4, 1), test::random_graph(20, 0.3, 2)}); }

}  // namespace

TEST_CASE("a matrix of graphs in Views is the reference's, of numbers that hang together by any q") {
  const std::vector<Graph> graphs = test::small_graphs();
  const auto n = static_cast<std::int32_t>(graphs.size());
  const Space space;
  const auto prepared = prepare(space, batch_of(Arrays(graphs)), capacity_of(graphs));
  require_valid(space, prepared);
  SolveHandle<Space> handle;
  const Kokkos::View<float**, Kokkos::LayoutLeft, Memory> values("values", n, n);
  const Kokkos::View<PairResult*, Memory> results("results", n * (n + 1) / 2);
  for (const Stopping stopping :
       {Stopping(StoppingMeaning::probability, 0.05), Stopping(StoppingMeaning::weight, 0.3)}) {
    solve(space, handle, prepared, Symmetric(), typed_kernel(stopping), Outputs{values, results}, precise);
    require_converged(space, results);
    const auto found = on_host(values);
    const auto exact = on_host(results);
    const std::vector<double> expected = judged(graphs, stopping);
    std::size_t k = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      for (std::int32_t j = i; j < n; ++j, ++k) {
        const double value = expected[static_cast<std::size_t>(i) * graphs.size() + static_cast<std::size_t>(j)];
        CAPTURE(graphs[static_cast<std::size_t>(i)].name());
        CAPTURE(graphs[static_cast<std::size_t>(j)].name());
        CHECK(std::abs(exact(k).value - value) <= test::tolerance::value(Precision::float64) * value);
        CHECK(found(i, j) == static_cast<float>(exact(k).value));
        CHECK(found(j, i) == found(i, j));
      }
    }
  }
}

TEST_CASE("graphs of the host, as from files, have the bits of the same graphs in Views, by every road") {
  PreparedCase small = small_case();
  const auto n = static_cast<std::size_t>(small.n);
  const auto from_host =
      graph_batch<std::int32_t, Bond>(small.space, small.graphs, {.vertex = "kind", .edge = {}, .numbers = {}});
  const auto prepared = prepare(small.space, from_host);
  require_valid(small.space, prepared);
  const KernelSpec spec = same_at_run_time(small.stopping);
  const TypedKernel by_text{spec.vertex, spec.edge, small.stopping, starting_probabilities(small.space, small.graphs)};
  const Kokkos::View<double**, Memory> values("values", n, n);
  for (const GraphBackend backend : {GraphBackend::automatic, GraphBackend::portable}) {
    for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
      GraphSolveOptions options = precise;
      options.backend = backend;
      options.lowering = lowering;
      small.solve_by(by_text, Symmetric(), Outputs{values}, options);
      const auto expected = on_host(values);
      Kokkos::deep_copy(values, 0);
      SolveHandle<Space> handle;
      solve(small.space, handle, prepared, Symmetric(), by_text, Outputs{values}, options);
      const auto found = on_host(values);
      for (std::size_t k = 0; k < n * n; ++k) {
        CHECK(found(k / n, k % n) > 0);
        CHECK(found(k / n, k % n) == expected(k / n, k % n));
      }
    }
  }
}

TEST_CASE("structs of which each member has a View of its own are taken as a View of structs is") {
  const std::vector<Graph> graphs = test::small_graphs();
  const Space space;
  const Arrays arrays(graphs);
  std::vector<std::int32_t> orders;
  std::vector<double> lengths;
  for (const Bond& bond : arrays.bonds) {
    orders.push_back(bond.order);
    lengths.push_back(bond.length);
  }
  const auto whole = batch_of(arrays);
  const auto of_members = whole.edge_labels<Bond>(on_device(orders), on_device(lengths));
  static_assert(std::is_same_v<decltype(of_members)::EdgeLabel, Bond>);
  const auto kernel = typed_kernel(Stopping(StoppingMeaning::probability, 0.05));
  const auto solved = [&](const auto& batch) {
    const auto prepared = prepare(space, batch, capacity_of(graphs));
    require_valid(space, prepared);
    SolveHandle<Space> handle;
    const Kokkos::View<double**, Memory> values("values", graphs.size(), graphs.size());
    octile::solve(space, handle, prepared, Symmetric(), kernel, Outputs{values}, precise);
    return on_host(values);
  };
  const auto expected = solved(whole);
  const auto found = solved(of_members);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) CHECK(found(i, j) == expected(i, j));
  }
  // The shortest View says for how many entries there are labels.
  orders.pop_back();
  const auto too_few = whole.edge_labels<Bond>(on_device(orders), on_device(lengths));
  CHECK(too_few.entry_room() == lengths.size() - 1);
  const auto prepared = prepare(space, too_few, capacity_of(graphs));
  CHECK_THROWS_AS(require_valid(space, prepared), Error);
}

TEST_CASE("what a graph of the host lacks for a label is told") {
  const Space space;
  const auto graph = [](const LabelColumns& vertices, const LabelColumns& edges) {
    return std::vector{Graph::from_edges("g", 2, {{0, 1}}, vertices, edges)};
  };
  using Whole = std::vector<std::int64_t>;
  const auto numbers = graph({{"kind", Whole{1, 300}}}, {{"order", std::vector{1.5}}});
  const auto texts = graph({{"element", std::vector<std::string>{"C", "O"}}}, {});
  const LabelNames kind{.vertex = "kind", .edge = "order", .numbers = {}};
  CHECK_THROWS_WITH(graph_batch<std::int32_t>(space, texts, kind),
                    "graph 'g' has no vertex attribute 'kind' for a label; it has: element");
  CHECK_THROWS_WITH(graph_batch<std::uint8_t>(space, numbers, kind),
                    "graph 'g': 'kind' of vertex 1 is 300; its type in the label holds 0 to 255");
  CHECK_THROWS_WITH(
      (graph_batch<NoLabel, std::int32_t>(space, numbers, kind)),
      "graph 'g': 'order' of the edge from 0 to 1 is 1.5; allowed in a label's member of a whole type are "
      "whole numbers");
  CHECK_THROWS_WITH(graph_batch<std::int32_t>(space, texts, {.vertex = "element", .edge = {}, .numbers = {{"C", 6}}}),
                    "graph 'g': 'element' of vertex 1 is 'O', a text for which no number is given");
  const auto batch =
      graph_batch<std::int8_t>(space, texts, {.vertex = "element", .edge = {}, .numbers = {{"C", 6}, {"O", 8}}});
  CHECK(batch.graphs() == 1);
  CHECK(batch.vertex_room() == 2);
  CHECK(batch.entry_room() == 2);
  // Without edges no attribute of them is needed.
  const std::vector<Graph> atom{Graph::from_edges("atom", 1, {})};
  CHECK(graph_batch<NoLabel, std::int32_t>(space, atom, kind).entry_room() == 0);
  const std::vector<Graph> scaled{numbers[0].scaled_with_stopping(2)};
  CHECK_THROWS_AS(graph_batch(space, scaled), Error);
}

TEST_CASE("the bits are the same from run to run, and on one thread") {
  PreparedCase small = small_case();
  const auto n = static_cast<std::size_t>(small.n);
  const Kokkos::View<double**, Memory> values("values", n, n);
  const Kokkos::View<PairResult*, Memory> results("results", n * (n + 1) / 2);
  GraphSolveOptions options = precise;
  options.normalize = Normalize::yes;
  for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
    options.lowering = lowering;
    small.solve(Symmetric(), Outputs{values, results}, options);
    const auto expected = on_host(values);
    const auto expected_results = on_host(results);
    const auto check = [&] {
      const auto found = on_host(values);
      const auto found_results = on_host(results);
      for (std::size_t k = 0; k < n * n; ++k) CHECK(found(k / n, k % n) == expected(k / n, k % n));
      for (std::size_t k = 0; k < n * (n + 1) / 2; ++k) {
        CHECK(found_results(k).residual == expected_results(k).residual);
        CHECK(found_results(k).iterations == expected_results(k).iterations);
      }
    };
    for (int run = 0; run < 3; ++run) {
      Kokkos::deep_copy(values, 0);
      SolveHandle<Space> fresh;
      solve(small.space, fresh, prepare(small.space, batch_of(Arrays(small.graphs)), capacity_of(small.graphs)),
            Symmetric(), small.kernel, Outputs{values, results}, options);
      check();
    }
#if defined(KOKKOS_ENABLE_SERIAL) && !defined(KOKKOS_ENABLE_CUDA)
    Kokkos::deep_copy(values, 0);
    SolveHandle<Kokkos::Serial> on_one_thread;
    solve(Kokkos::Serial(), on_one_thread, small.prepared, Symmetric(), small.kernel, Outputs{values, results},
          options);
    check();
#endif
  }
}

TEST_CASE("graphs in Views and the same graphs through gram are the same, on CPUs to the bit") {
  PreparedCase small = small_case();
  const auto n = static_cast<std::size_t>(small.n);
  const KernelSpec spec = same_at_run_time(small.stopping);
  const Kokkos::View<double**, Memory> values("values", n, n);
  GraphSolveOptions on_the_fly = precise;
  on_the_fly.lowering = Lowering::on_the_fly;
  on_the_fly.backend = GraphBackend::portable;
  on_the_fly.solve.tolerance /= 0.9;  // a tenth is kept for factors
  small.solve_by(TypedKernel{spec.vertex, spec.edge, spec.stopping}, Symmetric(), Outputs{values}, on_the_fly);
  const GramResult result = gram(small.graphs, spec,
                                 {.backend = BackendId::portable,
                                  .lowering = Lowering::on_the_fly,
                                  .order = reorder::OrderId::natural,
                                  .precision = Precision::float64,
                                  .solve = precise.solve});
  const auto found = on_host(values);
  // nvcc joins products and sums in other places of the one kernel than of the other.
  constexpr bool on_host_too = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;
  constexpr double apart = on_host_too ? 0 : 1e-13;
  for (std::size_t k = 0; k < n * n; ++k) {
    CHECK(std::abs(found(k / n, k % n) - result.values[k]) <= apart * result.values[k]);
  }
}

TEST_CASE("graphs of any size among small ones have the values of the portable backend") {
  PreparedCase mixed({test::labelled("small", 12, test::random_edges(12, 0.4, 1), 2),
                      test::labelled("usual", 40, test::cycle_edges(40), 3),
                      test::labelled("large", 200, test::cycle_edges(200), 4),
                      test::labelled("larger", 260, test::cycle_edges(260), 5),
                      test::labelled("another small one", 9, test::random_edges(9, 0.5, 6), 7),
                      test::labelled("a third", 10, test::random_edges(10, 0.5, 8), 9)});
  const auto by = [&](GraphBackend backend) {
    const Kokkos::View<double**, Memory> values("values", mixed.n, mixed.n);
    const Kokkos::View<PairResult*, Memory> results("results", mixed.n * (mixed.n + 1) / 2);
    GraphSolveOptions options = precise;
    options.backend = backend;
    mixed.solve(Symmetric(), Outputs{values, results}, options);
    require_converged(mixed.space, results);
    return on_host(values);
  };
  const auto found = by(GraphBackend::automatic);
  const auto expected = by(GraphBackend::portable);
  for (std::int32_t i = 0; i < mixed.n; ++i) {
    for (std::int32_t j = 0; j < mixed.n; ++j) {
      CHECK(std::abs(found(i, j) - expected(i, j)) <= test::tolerance::value(Precision::float64) * expected(i, j));
    }
  }
}

TEST_CASE("an edge kernel is factored on the device, and evaluated where it has no factors") {
  const std::vector<Graph> graphs = {test::random_graph(33, 0.3, 3), test::random_graph(20, 0.4, 4)};
  const Space space;
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const std::vector<double> lengths = [&] {
    std::vector<double> values;
    for (const Bond& bond : Arrays(graphs).bonds) values.push_back(bond.length);
    return values;
  }();
  const Arrays arrays(graphs);
  const auto batch =
      GraphBatch(on_device(arrays.graph_offsets), on_device(arrays.row_offsets), on_device(arrays.columns))
          .weights(on_device(arrays.weights))
          .edge_labels(on_device(lengths));
  const auto prepared = prepare(space, batch, capacity_of(graphs));
  SolveHandle<Space> handle;
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  const Kokkos::View<PairResult*, Memory> results("results", 3);
  for (const double scale : {0.3, 1e-4}) {
    const std::string text = fmt::format("gaussian(length,{})", scale);
    const KernelSpec spec{Expression::parse("0.5"), Expression::parse(text), stopping};
    const std::vector<double> expected = gram(graphs, spec, {.backend = BackendId::reference}).values;
    for (const double tolerance : {1e-4, 1e-8, 1e-11}) {
      solve(space, handle, prepared, Symmetric(), TypedKernel{Constant(0.5), SquareExponential(scale), stopping},
            Outputs{values, results}, {.solve = {tolerance, 1000}, .backend = GraphBackend::portable});
      require_converged(space, results);
      // All lengths differ by far more than the smaller scale: no sum of few products is such a kernel.
      CHECK((handle.rank() > 0) == (scale == 0.3));
      const auto found = on_host(results);
      const double value[] = {expected[0], expected[1], expected[3]};
      for (std::size_t k = 0; k < 3; ++k) {
        CHECK(std::abs(found(k).value - value[k]) <= (found(k).residual + test::tolerance::exact_residual) * value[k]);
      }
    }
  }
}

TEST_CASE(
    "pairs that are solved by factors in parts, where memory is short, have the values and solutions of all together") {
  PreparedCase ample = small_case();
  PreparedCase short_of_memory = small_case();
  // Room for the factors of all graphs, and on a GPU for 1/κv of few pairs.
  const std::size_t entries = capacity_of(ample.graphs).entries;
  short_of_memory.handle = SolveHandle<Space>(64 * sizeof(double) * entries);
  const std::size_t pairs = ample.graphs.size() * (ample.graphs.size() + 1) / 2;
  const Kokkos::View<std::int64_t*, Memory> begin("begin", pairs + 1);
  nodewise_begin(ample.space, ample.prepared, Symmetric(), begin);
  const auto length = static_cast<std::size_t>(on_host(begin)(pairs));
  const GraphSolveOptions options{
      .solve = {1e-8, 1000}, .normalize = Normalize::yes, .backend = GraphBackend::portable};
  const auto solved = [&](PreparedCase& of) {
    const Kokkos::View<double*, Memory> x("x", length);
    const Kokkos::View<PairResult*, Memory> results("results", pairs);
    const TypedKernel kernel{of.kernel.vertex, field<&Bond::length>(SquareExponential(0.5)), of.stopping};
    of.solve_by(kernel, Symmetric(), Outputs{NotGiven(), results, Nodewise{x, begin}}, options);
    require_converged(of.space, results);
    CHECK(of.handle.rank() > 0);
    return std::pair(on_host(results), on_host(x));
  };
  const auto [results, x] = solved(ample);
  const auto [results_in_parts, x_in_parts] = solved(short_of_memory);
  for (std::size_t k = 0; k < pairs; ++k)
    CHECK(results_in_parts(k).value == doctest::Approx(results(k).value).epsilon(1e-7));
  for (std::size_t e = 0; e < length; ++e) CHECK(x_in_parts(e) == doctest::Approx(x(e)).epsilon(1e-7).scale(1e-3));
}

TEST_CASE("rectangles, diagonals and lists of pairs, normalised or not") {
  PreparedCase small = small_case();
  const std::int32_t n = small.n;
  const std::vector<double> expected = small.values();
  const auto value = [&](std::int32_t i, std::int32_t j) {
    return expected[static_cast<std::size_t>(i) * small.graphs.size() + static_cast<std::size_t>(j)];
  };
  const auto normalised = [&](std::int32_t i, std::int32_t j) {
    return value(i, j) / std::sqrt(value(i, i) * value(j, j));
  };
  constexpr double allowed = 3 * test::tolerance::value(Precision::float64);

  GraphSolveOptions unit = precise;
  unit.normalize = Normalize::yes;
  const Rectangle rectangle{1, 3, 2, n - 2};
  const Kokkos::View<double**, Memory> block("block", 3, n - 2);
  const Kokkos::View<PairResult*, Memory> results("results", 3 * (n - 2));
  small.solve(rectangle, Outputs{block, results}, unit);
  require_converged(small.space, results);
  const auto of_block = on_host(block);
  const auto of_results = on_host(results);
  for (std::int32_t i = 0; i < 3; ++i) {
    for (std::int32_t j = 0; j < n - 2; ++j) {
      CHECK(std::abs(of_block(i, j) - normalised(1 + i, 2 + j)) <= allowed);
      if (1 + i != 2 + j) continue;
      CHECK(of_block(i, j) == 1.0);
      CHECK(of_results(i * (n - 2) + j).error_bound == 0.0);
    }
  }

  // Rows and columns that are the same, that follow each other, and that lie apart, either way round.
  for (const Rectangle& other : {Rectangle{1, 3, 1, 3}, Rectangle{1, 2, 3, 2}, Rectangle{0, 1, n - 2, 2},
                                 Rectangle{n - 1, 1, 0, 2}, Rectangle{2, 2, 1, 4}}) {
    const Kokkos::View<double**, Memory> part("part", other.rows, other.columns);
    small.solve(other, Outputs{part}, unit);
    const auto of_part = on_host(part);
    for (std::int32_t i = 0; i < other.rows; ++i) {
      for (std::int32_t j = 0; j < other.columns; ++j) {
        CHECK(std::abs(of_part(i, j) - normalised(other.first_row + i, other.first_column + j)) <= allowed);
      }
    }
  }
  const Kokkos::View<double**, Memory> all("all", n, n);
  small.solve(Symmetric(), Outputs{all}, unit);
  const auto of_all = on_host(all);
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j < n; ++j) CHECK(std::abs(of_all(i, j) - normalised(i, j)) <= allowed);
  }
  // Few pairs, whose graphs alone are solved with themselves, and as many that all are.
  for (const std::int32_t count : {1, n}) {
    std::vector<Pair> some(static_cast<std::size_t>(count));
    for (std::int32_t k = 0; k < count; ++k) some[static_cast<std::size_t>(k)] = {k, (3 * k + 2) % n};
    const Kokkos::View<double*, Memory> listed("listed", count);
    small.solve(PairList{on_device(some)}, Outputs{listed}, unit);
    const auto of_listed = on_host(listed);
    for (std::int32_t k = 0; k < count; ++k) {
      CHECK(std::abs(of_listed(k) - normalised(some[std::size_t(k)].first, some[std::size_t(k)].second)) <= allowed);
    }
  }

  const Kokkos::View<double*, Memory> diagonal("diagonal", n);
  small.solve(Diagonal(), Outputs{diagonal}, unit);
  for (std::int32_t i = 0; i < n; ++i) CHECK(on_host(diagonal)(i) == 1.0);
  small.solve(Diagonal(), Outputs{diagonal});
  const auto of_diagonal = on_host(diagonal);
  for (std::int32_t i = 0; i < n; ++i) CHECK(std::abs(of_diagonal(i) - value(i, i)) <= allowed * value(i, i));

  // One of them names no graph.
  const auto list = on_device(std::vector<Pair>{{2, 1}, {0, n - 1}, {3, n}, {4, 4}});
  const Kokkos::View<double*, Memory> listed("listed", 4);
  const Kokkos::View<PairResult*, Memory> of_list("of_list", 4);
  small.solve(PairList{list}, Outputs{listed, of_list});
  const auto of_listed = on_host(listed);
  CHECK(std::abs(of_listed(0) - value(2, 1)) <= allowed * value(2, 1));
  CHECK(std::abs(of_listed(1) - value(0, n - 1)) <= allowed * value(0, n - 1));
  CHECK(std::isnan(of_listed(2)));
  CHECK(std::abs(of_listed(3) - value(4, 4)) <= allowed * value(4, 4));
  CHECK(test::message_of([&] { require_converged(small.space, of_list); }) ==
        "pair number 2 ended with 'breakdown' after 0 iterations");
}

TEST_CASE("an expression over labels in Views gives what the same types give, factored or not") {
  PreparedCase small = small_case();
  const KernelSpec spec = same_at_run_time(small.stopping);
  const Kokkos::View<double**, Memory> by_types("by_types", small.n, small.n);
  const Kokkos::View<double**, Memory> by_expression("by_expression", small.n, small.n);
  for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
    GraphSolveOptions options = precise;
    options.lowering = lowering;
    options.backend = GraphBackend::portable;
    small.solve(Symmetric(), Outputs{by_types}, options);
    const std::size_t rank = small.handle.rank();
    small.solve_by(TypedKernel{spec.vertex, spec.edge, spec.stopping}, Symmetric(), Outputs{by_expression}, options);
    CHECK(small.handle.rank() == rank);
    const auto expected = on_host(by_types);
    const auto found = on_host(by_expression);
    for (std::int32_t i = 0; i < small.n; ++i) {
      for (std::int32_t j = 0; j < small.n; ++j) {
        CHECK(std::abs(found(i, j) - expected(i, j)) <= test::tolerance::value(Precision::float64) * expected(i, j));
      }
    }
  }
  const auto refusal = [&](const char* vertex, const char* edge) {
    return test::message_of([&] {
      small.solve_by(TypedKernel{Expression::parse(vertex), Expression::parse(edge), small.stopping}, Symmetric(),
                     Outputs{by_types});
    });
  };
  CHECK(refusal("delta(a,0.5)*delta(b,0.5)", "1") ==
        "expression 'delta(a,0.5)*delta(b,0.5)' over labels in Views: a number is one attribute, and 'a' and 'b' are "
        "two");
  CHECK(refusal("1", "delta(bond,0.5)") ==
        "expression 'delta(bond,0.5)' over labels in Views: they have no attribute 'bond'; allowed are 'order', "
        "'length'");
  CHECK(refusal("1", "convolution(order,delta(_,0.5))") ==
        "expression 'convolution(order,delta(_,0.5))' over labels in Views: they have no lists");
  CHECK(refusal("0.5+0.6", "1").find("values reach 1.1") != std::string::npos);
}

TEST_CASE("an expression over labels has the same bits for many labels as for one after the other") {
  std::vector<test::Bond> bonds(70);
  for (int k = 0; k < 70; ++k) bonds[std::size_t(k)] = {k % 4, 0.9 + 0.013 * k};
  for (const char* text :
       {"0.4", "delta(order,0.3)", "gaussian(length,0.2)", "0.9*delta(order,0.3)*gaussian(length,0.2)",
        "0.25*delta(order,0.5)+0.75*power(wendland(length,0.9)*delta(length,0.1),2)"}) {
    CAPTURE(text);
    const ProgramKernel<test::Bond> kernel(Expression::parse(text));
    for (const int count : {0, 1, 31, 32, 33, 70}) {
      CAPTURE(count);
      std::vector<double> many(70, -1.0);
      kernel.evaluate_many(bonds[5], bonds.data(), count, many.data());
      for (int k = 0; k < 70; ++k) {
        CAPTURE(k);
        CHECK(many[std::size_t(k)] == (k < count ? kernel.evaluate<double>(bonds[5], bonds[std::size_t(k)]) : -1.0));
      }
    }
  }
}

TEST_CASE("graphs of two sets are held against each other, in a rectangle or by a list") {
  const std::vector<Graph> graphs = test::small_graphs();
  const auto n = static_cast<std::int32_t>(graphs.size());
  const std::int32_t rows = n - 3;
  const Space space;
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const auto kernel = typed_kernel(stopping);
  const std::vector<Graph> first(graphs.begin(), graphs.begin() + rows);
  const std::vector<Graph> second(graphs.begin() + rows, graphs.end());
  const auto of_rows = prepare(space, batch_of(Arrays(first)), capacity_of(first));
  const auto of_columns = prepare(space, batch_of(Arrays(second)), capacity_of(second));
  const auto of_all = prepare(space, batch_of(Arrays(graphs)), capacity_of(graphs));
  SolveHandle<Space> handle;
  GraphSolveOptions unit = precise;
  unit.normalize = Normalize::yes;
  const Kokkos::View<double**, Memory> block("block", rows, 3);
  solve(space, handle, of_rows, of_columns, AllPairs(), kernel, Outputs{block}, unit);
  const Kokkos::View<double**, Memory> expected("expected", rows, 3);
  solve(space, handle, of_all, Rectangle{0, rows, rows, 3}, kernel, Outputs{expected}, unit);
  const auto found = on_host(block);
  const auto same = on_host(expected);
  for (std::int32_t i = 0; i < rows; ++i) {
    for (std::int32_t j = 0; j < 3; ++j) CHECK(found(i, j) == same(i, j));
  }

  const auto list = on_device(std::vector<Pair>{{1, 2}, {0, 3}, {rows, 0}, {0, 0}});
  const Kokkos::View<double*, Memory> listed("listed", 4);
  solve(space, handle, of_rows, of_columns, PairList{list}, kernel, Outputs{listed}, unit);
  const auto of_list = on_host(listed);
  CHECK(of_list(0) == same(1, 2));
  CHECK(std::isnan(of_list(1)));
  CHECK(std::isnan(of_list(2)));
  CHECK(of_list(3) == same(0, 0));

  // x of all pairs of two sets is that of one set that has both.
  const auto count = static_cast<std::size_t>(rows) * 3;
  const Kokkos::View<int*, Memory> begin("begin", count + 1);
  nodewise_begin(space, of_rows, of_columns, AllPairs(), begin);
  const Kokkos::View<int*, Memory> begin_of_all("begin_of_all", count + 1);
  nodewise_begin(space, of_all, Rectangle{0, rows, rows, 3}, begin_of_all);
  const auto begins = on_host(begin);
  for (std::size_t k = 0; k <= count; ++k) CHECK(begins(k) == on_host(begin_of_all)(k));
  const auto length = static_cast<std::size_t>(begins(count));
  const Kokkos::View<double*, Memory> x("x", length);
  const Kokkos::View<double*, Memory> x_of_all("x_of_all", length);
  const Kokkos::View<PairResult*, Memory> results("results", count);
  solve(space, handle, of_rows, of_columns, AllPairs(), kernel, Outputs{block, results, Nodewise{x, begin}}, precise);
  require_converged(space, handle, results);
  solve(space, handle, of_all, Rectangle{0, rows, rows, 3}, kernel,
        Outputs{block, results, Nodewise{x_of_all, begin_of_all}}, precise);
  for (std::size_t e = 0; e < length; ++e) CHECK(on_host(x)(e) == on_host(x_of_all)(e));
  const Kokkos::View<std::int64_t*, Memory> begin_of_list("begin_of_list", 5);
  nodewise_begin(space, of_rows, of_columns, PairList{list}, begin_of_list);
  const auto of_first = static_cast<std::int64_t>(first[1].vertex_count()) * second[2].vertex_count();
  CHECK(on_host(begin_of_list)(1) == of_first);
  CHECK(on_host(begin_of_list)(3) == of_first);  // two name no graphs
  // Places that a narrow integer does not hold are beyond all x.
  const Kokkos::View<signed char*, Memory> narrow("narrow", count + 1);
  nodewise_begin(space, of_rows, of_columns, AllPairs(), narrow);
  REQUIRE(length > 127);
  CHECK(on_host(narrow)(count) == 127);

  // A batch with a fault leaves no value, whichever of the two it is.
  Arrays wrong(second);
  wrong.weights[0] = 0;
  const auto bad = prepare(space, batch_of(wrong), capacity_of(second));
  solve(space, handle, of_rows, bad, AllPairs(), kernel, Outputs{block}, unit);
  CHECK(std::isnan(on_host(block)(0, 0)));
  const Kokkos::View<double**, Memory> transposed("transposed", 3, rows);
  solve(space, handle, bad, of_rows, AllPairs(), kernel, Outputs{transposed}, unit);
  CHECK(std::isnan(on_host(transposed)(2, 1)));
}

TEST_CASE("x of many pairs stays on the device, whole or summed over the vertices of the other graph") {
  PreparedCase small = small_case();
  const std::vector<Graph>& graphs = small.graphs;
  const std::int32_t n = small.n;
  const std::size_t pairs = graphs.size() * (graphs.size() + 1) / 2;
  const Kokkos::View<std::int64_t*, Memory> begin("begin", pairs + 1);
  nodewise_begin(small.space, small.prepared, Symmetric(), begin);
  const auto begins = on_host(begin);
  const Kokkos::View<double*, Memory> x("x", static_cast<std::size_t>(begins(pairs)));
  const Kokkos::View<double**, Memory> values("values", n, n);
  const Kokkos::View<PairResult*, Memory> results("results", pairs);
  small.solve(Symmetric(), Outputs{values, results, Nodewise{x, begin}});
  require_converged(small.space, results);
  const auto vertices = static_cast<std::size_t>(capacity_of(graphs).vertices);
  const Kokkos::View<float**, Kokkos::LayoutLeft, Memory> by_graph("by_graph", vertices, n);
  small.solve(Symmetric(), Outputs{values, NotGiven(), VerticesByGraphs{by_graph}});
  const auto xs = on_host(x);
  const auto sums = on_host(by_graph);
  const auto solver = BackendId::reference;
  const KernelSpec spec = same_at_run_time(small.stopping);
  std::vector<std::size_t> first_vertex{0};
  for (const Graph& graph : graphs) {
    first_vertex.push_back(first_vertex.back() + static_cast<std::size_t>(graph.vertex_count()));
  }
  std::size_t k = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = i; j < graphs.size(); ++j, ++k) {
      const auto expected = nodewise(graphs[i], graphs[j], spec, {.backend = solver});
      const auto rows = static_cast<std::size_t>(graphs[i].vertex_count());
      const auto columns = static_cast<std::size_t>(graphs[j].vertex_count());
      REQUIRE(static_cast<std::size_t>(begins(k + 1) - begins(k)) == rows * columns);
      std::vector<double> of_rows(rows), of_columns(columns);
      for (std::size_t e = 0; e < rows * columns; ++e) {
        const double value = expected.similarity[e];
        CHECK(std::abs(xs(static_cast<std::size_t>(begins(k)) + e) - value) <=
              test::tolerance::value(Precision::float64) * value);
        of_rows[e / columns] += value / static_cast<double>(columns);
        of_columns[e % columns] += value / static_cast<double>(rows);
      }
      const auto check = [&](std::size_t vertex, std::size_t graph, double value) {
        CHECK(std::abs(sums(vertex, graph) - value) <= test::tolerance::value(Precision::float32) * value);
      };
      for (std::size_t v = 0; v < rows; ++v) check(first_vertex[i] + v, j, of_rows[v]);
      for (std::size_t v = 0; v < columns; ++v) check(first_vertex[j] + v, i, of_columns[v]);
    }
  }

  // A rectangle in the midst of the set, and the same graphs as two sets.
  const Rectangle part{2, 3, 1, 4};
  const std::size_t part_vertices = first_vertex[5] - first_vertex[2];
  const Kokkos::View<double**, Memory> part_values("part_values", 3, 4);
  const Kokkos::View<double**, Memory> of_part("of_part", part_vertices, 4);
  const Kokkos::View<double**, Memory> of_two("of_two", part_vertices, 4);
  small.solve(part, Outputs{part_values, NotGiven(), VerticesByGraphs{of_part}});
  const auto prepared_part = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    const std::vector<Graph> some(graphs.begin() + from, graphs.begin() + to);
    return prepare(small.space, batch_of(Arrays(some)), capacity_of(some));
  };
  const auto of_rows = prepared_part(2, 5);
  const auto of_columns = prepared_part(1, 5);
  octile::solve(small.space, small.handle, of_rows, of_columns, AllPairs(), small.kernel,
                Outputs{part_values, NotGiven(), VerticesByGraphs{of_two}}, precise);
  for (std::size_t v = 0; v < part_vertices; ++v) {
    for (std::size_t g = 0; g < 4; ++g) {
      CHECK(std::abs(on_host(of_part)(v, g) / double(sums(first_vertex[2] + v, 1 + g)) - 1) <=
            test::tolerance::value(Precision::float32));
      CHECK(on_host(of_two)(v, g) == on_host(of_part)(v, g));
    }
  }

  // Room for all but the last.
  const auto short_x = Kokkos::subview(x, std::pair(std::size_t(0), x.extent(0) - 1));
  small.solve(Symmetric(), Outputs{values, results, Nodewise{short_x, begin}});
  const auto statuses = on_host(results);
  for (std::size_t p = 0; p < pairs; ++p) {
    CHECK(statuses(p).status == (p + 1 == pairs ? Status::breakdown : Status::converged));
  }
  const Kokkos::View<double**, Memory> narrow("narrow", vertices, n - 1);
  CHECK(test::message_of([&] {
          small.solve(Symmetric(), Outputs{values, NotGiven(), VerticesByGraphs{narrow}});
        }) == fmt::format("the View of vertices by graphs has {} columns; there are {} graphs", n - 1, n));
}

TEST_CASE("starting probabilities of the caller's weigh the vertices of K") {
  PreparedCase two = two_graphs();
  const auto& plain = two.kernel;
  std::vector<float> weights(32);
  for (std::size_t v = 0; v < weights.size(); ++v) weights[v] = static_cast<float>(v % 5) / 8;
  const TypedKernel kernel{plain.vertex, plain.edge, two.stopping, on_device(weights)};
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  two.solve_by(kernel, Symmetric(), Outputs{values});
  require_valid(two.space, two.handle);
  const auto found = on_host(values);
  const auto expected =
      nodewise(two.graphs[0], two.graphs[1], same_at_run_time(two.stopping), {.backend = BackendId::reference});
  double sum = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 20; ++j) {
      sum += double(weights[i]) * double(weights[12 + j]) * expected.similarity[i * 20 + j];
    }
  }
  CHECK(std::abs(found(0, 1) - sum) <= test::tolerance::value(Precision::float64) * sum);

  weights[14] = -0.5F;
  two.solve_by(TypedKernel{plain.vertex, plain.edge, two.stopping, on_device(weights)}, Symmetric(), Outputs{values});
  CHECK(std::isnan(on_host(values)(0, 0)));
  CHECK(test::message_of([&] { require_valid(two.space, two.handle); }) ==
        "the kernel is wrong at graph 1, vertex 14, whose starting probability is -0.5: a starting probability is a "
        "finite number >= 0");
}

namespace test_solve_graphs {

/// The kernel of a caller who overlooked a bracket or a sign.
struct OutOfRange {
  double of_equals;
  template <class T, class Label>
  KOKKOS_FUNCTION T evaluate(const Label& a, const Label& b) const {
    return a == b ? T(of_equals) : T(0.5);
  }
};

}  // namespace test_solve_graphs

TEST_CASE("a kernel out of its range is found, and gives no value") {
  PreparedCase two = two_graphs();
  const auto& right = two.kernel;
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  const Kokkos::View<PairResult*, Memory> results("results", 3);
  for (const double wrong : {1.5, -0.5}) {
    const TypedKernel wrong_edge{right.vertex, field<&Bond::order>(test_solve_graphs::OutOfRange{wrong}), two.stopping};
    for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
      GraphSolveOptions options = precise;
      options.lowering = lowering;
      two.solve_by(wrong_edge, Symmetric(), Outputs{values, results}, options);
      CHECK(std::isnan(on_host(values)(0, 1)));
      CHECK(on_host(results)(1).status == Status::breakdown);
      CHECK(
          test::message_of([&] { require_valid(two.space, two.handle); }) ==
          fmt::format("the kernel is wrong at graph 0, vertex 0, entry 0, where its value with entry 0 is {}: an edge "
                      "kernel is in [0, 1]",
                      wrong));
    }
  }
  for (const double wrong : {1.5, 0.0, -0.5, -1.0}) {
    two.solve_by(TypedKernel{test_solve_graphs::OutOfRange{wrong}, right.edge, two.stopping}, Symmetric(),
                 Outputs{values, results});
    const auto found = on_host(results);
    for (std::size_t k = 0; k < 3; ++k) CHECK(found(k).status == Status::breakdown);
    CHECK(std::isnan(on_host(values)(0, 1)));
    CHECK(test::message_of([&] {
            require_valid(two.space, two.handle);
          }).ends_with(fmt::format(" is {}: a vertex kernel is in (0, 1]", wrong)));
  }
}

TEST_CASE("the tolerance that is not given is one that the precision of the graphs reaches") {
  const std::vector<Graph> graphs = test::small_graphs();
  const Space space;
  const auto kernel = typed_kernel(Stopping(StoppingMeaning::probability, 0.05));
  const auto check = [&]<class Scalar>(Scalar) {
    const auto prepared = prepare<Scalar>(space, batch_of(Arrays(graphs)), capacity_of(graphs));
    const Kokkos::View<double**, Memory> values("values", graphs.size(), graphs.size());
    const Kokkos::View<PairResult*, Memory> results("results", graphs.size() * (graphs.size() + 1) / 2);
    SolveHandle<Space, Scalar> handle;
    solve(space, handle, prepared, Symmetric(), kernel, Outputs{values, results});
    CHECK(test::message_of([&] { require_converged(space, handle, results); }) == "(no error)");
    const auto found = on_host(values);
    GraphSolveOptions same;
    same.solve.tolerance = usual_tolerance<Scalar>;
    solve(space, handle, prepared, Symmetric(), kernel, Outputs{values, results}, same);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t i = k / graphs.size();
      const std::size_t j = k % graphs.size();
      CHECK(found(i, j) == on_host(values)(i, j));
    }
  };
  check(1.0);
  check(1.0F);
}

TEST_CASE("a batch without weights and labels is of ones, and of nothing") {
  const std::vector<Graph> graphs = {test::bare("path", 9, test::path_edges(9)),
                                     test::bare("star", 17, test::star_edges(17))};
  std::vector<int> graph_offsets{0, 9, 26};
  std::vector<int> row_offsets{0};
  std::vector<short> columns;
  for (std::size_t g = 0; g < 2; ++g) {
    for (const auto& row : rows_of(graphs[g])) {
      for (const RowElement& element : row) columns.push_back(static_cast<short>(element.column + (g == 0 ? 0 : 9)));
      row_offsets.push_back(static_cast<int>(columns.size()));
    }
  }
  const Space space;
  const GraphBatch batch(on_device(graph_offsets), on_device(row_offsets), on_device(columns));
  const auto prepared = prepare<float>(space, batch, {2, 26, columns.size(), 17});
  require_valid(space, prepared);
  SolveHandle<Space, float> handle;
  const Stopping stopping(StoppingMeaning::weight, 0.5);
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  solve(space, handle, prepared, Symmetric(), TypedKernel{Constant(), Constant(), stopping}, Outputs{values},
        {.solve = {test::tolerance::solve(Precision::float32), 1000}});
  const KernelSpec spec{Expression::parse("1"), Expression::parse("1"), stopping};
  const std::vector<double> expected = gram(graphs, spec, {.backend = BackendId::reference}).values;
  const auto found = on_host(values);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(std::abs(found(k / 2, k % 2) - expected[k]) <= test::tolerance::value(Precision::float32) * expected[k]);
  }
}

namespace test_solve_graphs {

std::vector<std::string> waits;  // fences, allocations and copies, by name

/// What Kokkos' tools are told of while `act` runs: each fence, allocation and copy by its name.
template <class Act>
std::string waits_of(const Act& act) {
  namespace Tools = Kokkos::Tools::Experimental;
  Space().fence();
  waits.clear();
  Tools::set_begin_fence_callback([](const char* name, std::uint32_t, std::uint64_t*) {
    // Kokkos itself fences around the kernels that a tool is told of.
    if (std::string(name).find("Tool Fence") == std::string::npos) waits.push_back(fmt::format("fence {}", name));
  });
  Tools::set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, const char* name, const void*, std::uint64_t bytes) {
        // Kokkos asks for team scratch of no bytes at each launch on CUDA.
        if (bytes > 0) waits.push_back(fmt::format("allocation {}", name));
      });
  Tools::set_deallocate_data_callback([](Kokkos_Profiling_SpaceHandle, const char* name, const void*, std::uint64_t) {
    waits.push_back(fmt::format("release {}", name));
  });
  Tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, const char* to, const void*,
                                         Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                         std::uint64_t) { waits.push_back(fmt::format("copy {}", to)); });
  act();
  Tools::set_begin_fence_callback(nullptr);
  Tools::set_allocate_data_callback(nullptr);
  Tools::set_deallocate_data_callback(nullptr);
  Tools::set_begin_deep_copy_callback(nullptr);
  return fmt::format("{}", fmt::join(waits, ", "));
}

}  // namespace test_solve_graphs

using test_solve_graphs::waits_of;

TEST_CASE("the next step is taken in without a fence, an allocation or a copy, and solved so") {
  const std::vector<Graph> graphs = test::small_graphs();
  std::vector<Graph> fewer(graphs.begin(), graphs.end() - 2);
  std::ranges::reverse(fewer);
  const Space space;
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const auto kernel = typed_kernel(stopping);
  const auto first = batch_of(Arrays(graphs));
  const auto second = batch_of(Arrays(fewer));
  const auto m = static_cast<std::int32_t>(fewer.size());
  const std::vector<double> expected = judged(fewer, stopping);
  const auto value = [&](std::int32_t i, std::int32_t j) {
    return expected[static_cast<std::size_t>(i) * fewer.size() + static_cast<std::size_t>(j)];
  };
  for (const GraphBackend backend : {GraphBackend::automatic, GraphBackend::portable}) {
    auto prepared = prepare(space, first, capacity_of(graphs));
    SolveHandle<Space> handle;
    const Kokkos::View<double**, Memory> values("values", m, 3);
    GraphSolveOptions options = precise;
    options.normalize = Normalize::yes;
    options.backend = backend;
    const auto solve_block = [&] {
      solve(space, handle, prepared, Rectangle{0, m, 0, 3}, kernel, Outputs{values}, options);
    };
    // The first solve waits or allocates, which shows that the tools can tell.
    const bool native = backend == GraphBackend::automatic && cuda::launches_batches<Space>;
    const std::string of_first = waits_of(solve_block);
    CAPTURE(of_first);
    for (const char* what : {"fence octile::count_factors", "allocation octile::factors_needed", "copy "}) {
      CHECK((of_first.find(what) != std::string::npos) == !native);
    }
    CHECK((of_first.find("allocation octile::native_results") != std::string::npos) == native);
    CHECK(waits_of([&] {
            prepared.assign(space, second);
            solve_block();
          }) == "");
    const auto found = on_host(values);
    for (std::int32_t i = 0; i < m; ++i) {
      for (std::int32_t j = 0; j < 3; ++j) {
        const double normalised = value(i, j) / std::sqrt(value(i, i) * value(j, j));
        CHECK(std::abs(found(i, j) - normalised) <= 3 * test::tolerance::value(Precision::float64));
      }
    }
  }
}

TEST_CASE("no kind of pairs, of kernel or of output waits, allocates or copies after the first time") {
  PreparedCase small = small_case();
  const auto twice = [&](const char* what, const auto& act) {
    CAPTURE(what);
    act();
    CHECK(waits_of(act) == "");
  };
  const auto n = static_cast<std::size_t>(small.n);
  const std::size_t pairs = n * (n + 1) / 2;
  const Kokkos::View<double**, Memory> values("values", n, n);
  const Kokkos::View<PairResult*, Memory> results("results", n * n);
  const Kokkos::View<double*, Memory> in_order("in_order", n);
  twice("symmetric", [&] { small.solve(Symmetric(), Outputs{values, results}); });
  twice("diagonal", [&] { small.solve(Diagonal(), Outputs{in_order, results}); });
  const PairList list{on_device(std::vector<Pair>(n, {1, 2}))};
  twice("list", [&] { small.solve(list, Outputs{in_order, results}); });

  const Kokkos::View<std::int64_t*, Memory> begin("begin", pairs + 1);
  twice("where x begins", [&] { nodewise_begin(small.space, small.prepared, Symmetric(), begin); });
  const Kokkos::View<double*, Memory> x("x", static_cast<std::size_t>(on_host(begin)(pairs)));
  twice("x of pairs", [&] { small.solve(Symmetric(), Outputs{values, results, Nodewise{x, begin}}); });
  const Kokkos::View<double**, Memory> by_vertex("by_vertex", capacity_of(small.graphs).vertices, n);
  twice("vertices by graphs", [&] { small.solve(Symmetric(), Outputs{values, results, VerticesByGraphs{by_vertex}}); });

  GraphSolveOptions options = precise;
  options.normalize = Normalize::yes;
  const auto columns = prepare(small.space, batch_of(Arrays(small.graphs)), capacity_of(small.graphs));
  twice("two sets", [&] {
    solve(small.space, small.handle, small.prepared, columns, AllPairs(), small.kernel, Outputs{values, results},
          options);
  });
  twice("two sets, a list", [&] {
    solve(small.space, small.handle, small.prepared, columns, list, small.kernel, Outputs{in_order, results}, options);
  });
  // Many small graphs and few with many edges, in turns: neither has room for the other.
  const std::vector<Graph> one(small.graphs.begin(), small.graphs.begin() + 1);
  Capacity many_graphs = capacity_of(one);
  many_graphs.graphs += 2 * n;
  Capacity many_entries = capacity_of(one);
  many_entries.entries *= 100;
  const auto many = prepare(small.space, batch_of(Arrays(one)), many_graphs);
  const auto dense = prepare(small.space, batch_of(Arrays(one)), many_entries);
  const Kokkos::View<double**, Memory> single("single", 1, 1);
  twice("two sets of other sizes in turns", [&] {
    for (const auto* set : {&many, &dense}) {
      solve(small.space, small.handle, *set, *set, AllPairs(), small.kernel, Outputs{single}, options);
    }
  });
  const KernelSpec spec = same_at_run_time(small.stopping);
  twice("text", [&] {
    small.solve_by(TypedKernel{spec.vertex, spec.edge, spec.stopping}, Symmetric(), Outputs{values});
  });
  const TypedKernel starting{small.kernel.vertex, small.kernel.edge, small.stopping,
                             on_device(std::vector<float>(capacity_of(small.graphs).vertices, 0.5F))};
  twice("starting probabilities", [&] { small.solve_by(starting, Symmetric(), Outputs{values}); });
  options.lowering = Lowering::on_the_fly;
  twice("on the fly", [&] { small.solve(Symmetric(), Outputs{values}, options); });
  // Other parameters of the kernel and other q, in turns, do not wait either.
  twice("others", [&] {
    for (const double q : {0.05, 0.3}) {
      for (const double other : {0.3, 0.6}) {
        const auto kernel = typed_kernel({StoppingMeaning::probability, q});
        small.solve_by(TypedKernel{KroneckerDelta(other), kernel.edge, kernel.stopping}, Symmetric(), Outputs{values});
      }
    }
  });
}

TEST_CASE("the first thing that is wrong with a batch is told, with its place") {
  const std::vector<Graph> graphs = {test::random_graph(12, 0.4, 1), test::random_graph(20, 0.3, 2)};
  const Capacity capacity = capacity_of(graphs);
  const Space space;
  const Arrays right(graphs);
  const auto fault_of = [&](const Arrays& arrays) { return prepare(space, batch_of(arrays), capacity).fault(space); };
  const auto expect = [&](const Arrays& arrays, BatchFault::Kind kind, std::size_t place) {
    const auto fault = fault_of(arrays);
    REQUIRE(fault.has_value());
    CHECK(fault->kind == kind);
    CHECK(fault->place == place);
  };
  CHECK(!fault_of(right).has_value());

  Arrays wrong = right;
  wrong.weights[7] = -1;
  wrong.weights[9] = std::nan("");
  expect(wrong, BatchFault::weight, 7);
  wrong = right;
  wrong.columns[3] = 15;  // of the other graph
  expect(wrong, BatchFault::column, 3);
  wrong = right;
  wrong.columns[0] = 0;  // a loop
  expect(wrong, BatchFault::column, 0);
  wrong = right;
  std::size_t v = 0;  // of two entries at least
  while (wrong.row_offsets[v + 1] < wrong.row_offsets[v] + 2) ++v;
  const auto entry = static_cast<std::size_t>(wrong.row_offsets[v]);
  wrong.columns[entry + 1] = wrong.columns[entry];
  expect(wrong, BatchFault::twice, entry + 1);
  wrong = right;
  wrong.weights[4] *= 2;  // unlike the entry across the diagonal
  const auto one_sided = fault_of(wrong);
  REQUIRE(one_sided.has_value());
  CHECK(one_sided->kind == BatchFault::one_sided);
  wrong = right;
  wrong.row_offsets[5] = 100000;
  expect(wrong, BatchFault::row_size, 4);
  wrong = right;
  wrong.graph_offsets[1] = 0;  // the first has no vertex, the second more than there is room for
  expect(wrong, BatchFault::graph_size, 0);

  wrong = right;
  wrong.weights[7] = 0;
  const auto prepared = prepare(space, batch_of(wrong), capacity);
  CHECK(test::message_of([&] { require_valid(space, prepared); }) ==
        "the batch is wrong at graph 0, vertex 2, entry 7, whose weight is 0: a weight is a finite number > 0");
  // Whoever does not ask gets no number either.
  SolveHandle<Space> handle;
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  const Kokkos::View<PairResult*, Memory> results("results", 3);
  solve(space, handle, prepared, Symmetric(), typed_kernel(Stopping(StoppingMeaning::probability, 0.05)),
        Outputs{values, results});
  const auto found = on_host(values);
  const auto status = on_host(results);
  for (std::size_t k = 0; k < 4; ++k) CHECK(std::isnan(found(k / 2, k % 2)));
  for (std::size_t k = 0; k < 3; ++k) CHECK(status(k).status == Status::breakdown);
}

TEST_CASE("what does not fit is refused before anything is queued") {
  const std::vector<Graph> graphs = {test::random_graph(12, 0.4, 1), test::random_graph(20, 0.3, 2)};
  const Space space;
  Capacity capacity = capacity_of(graphs);
  const auto batch = batch_of(Arrays(graphs));
  capacity.graphs = 1;
  CHECK(test::message_of([&] { prepare(space, batch, capacity); }) == "a batch of 2 graphs; the capacity is 1");
  capacity = capacity_of(graphs);
  capacity.vertices_of_largest = 19;
  const auto fault = prepare(space, batch, capacity).fault(space);
  REQUIRE(fault.has_value());
  CHECK(fault->kind == BatchFault::graph_size);
  CHECK(fault->place == 1);

  const auto prepared = prepare(space, batch, capacity_of(graphs));
  const auto kernel = typed_kernel(Stopping(StoppingMeaning::probability, 0.05));
  SolveHandle<Space> handle;
  const Kokkos::View<double**, Memory> values("values", 2, 3);
  CHECK(test::message_of([&] { solve(space, handle, prepared, Symmetric(), kernel, Outputs{values}); }) ==
        "the View of the values is not of the shape of the pairs");
  CHECK(test::message_of([&] {
          solve(space, handle, prepared, Rectangle{0, 2, 0, 3}, kernel, Outputs{values});
        }) == "a rectangle of rows 0 + 2 and columns 0 + 3; there are 2 graphs");
}

namespace {
/// From -100 to 25.
KOKKOS_INLINE_FUNCTION float argument_of(int k) { return static_cast<float>(k - 3200) / 32; }
}  // namespace

TEST_CASE("the exponential of kernels of a caller's own is off by no more than it says") {
  constexpr int count = 4001;
  const Kokkos::View<float*, Memory> in_float("in_float", count);
  const Kokkos::View<double*, Memory> in_double("in_double", count);
  Kokkos::parallel_for(
      "exponentials", Kokkos::RangePolicy<Space>(0, count), KOKKOS_LAMBDA(const int k) {
        const float x = argument_of(k);
        in_float(k) = exponential(x);
        in_double(k) = exponential(static_cast<double>(x));
      });
  const auto found = on_host(in_float);
  const auto found_in_double = on_host(in_double);
  for (int k = 0; k < count; ++k) {
    const double x = argument_of(k);
    const double exact = std::exp(x);
    CAPTURE(x);
    CHECK(std::abs(found(k) - exact) <=
          std::ldexp(1, -126) + (std::ldexp(1, -22) + std::ldexp(std::abs(x), -23)) * exact);
    CHECK(std::abs(found_in_double(k) - exact) <= 1e-15 * exact);
  }
}
