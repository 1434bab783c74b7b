// SPDX-License-Identifier: BSD-3-Clause
// Graphs in Views through the native kernels, without a GPU: `solve` as callers know it, on one thread, with kernels that are emulated.
#include "backends/cuda/emulated/device.hpp"

#include <octile/cuda/batches/shape.cuh>
#include <octile/cuda/layout/batch_slices.hpp>
#include <octile/native_batches.hpp>
#include <octile/solve_graphs.hpp>

#include <octile/backends.hpp>
#include <octile/gram.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "common/graphs.hpp"
#include "common/sanitized.hpp"
#include "common/tolerances.hpp"
#include "common/views.hpp"

namespace {

using namespace octile;
using namespace octile::test;

/// How all solves are emulated, and how many launches there were by the type of the stored labels.
struct Emulation {
  emulated::Order order = emulated::Order::forwards;
  std::size_t most_shared = cuda::most_shared_memory;
  std::map<std::type_index, int> launches{};
};
Emulation emulation;

}  // namespace

/// One thread of the CPU launches native kernels here.
template <>
struct octile::cuda::BatchLauncher<Kokkos::Serial> {
  static constexpr int shapes = batch_shapes;
  static constexpr std::size_t most_elements = most_batch_elements;

  template <class Stored, class EdgeKernel>
  void launch(const Kokkos::Serial&, const BatchTask<Stored, Kokkos::Serial>& task, const EdgeKernel& edge_kernel) {
    const auto edges = native_edges<Stored>(edge_kernel);
    for_each_batch_shape(task.capacity, [&]<int Threads, int K>(int number, int more_than) {
      launch_shape<Threads, K>(task, edges, number, more_than);
    });
  }

 private:
  template <int Threads, int K, class Stored, class Edges>
  static void launch_shape(const BatchTask<Stored, Kokkos::Serial>& task, const Edges& edges, int number,
                           int more_than) {
    // The largest one would take the sanitizers long to compile and to run. Its pairs are left to others there.
    if constexpr (!test::sanitized || Threads <= 512) {
      using Set = BatchSet<std::uint32_t, Stored, Kokkos::HostSpace>;
      using Shape = BatchShape<Set, Edges, Threads, K>;
      const std::size_t entries = Shape::entries(task.capacity, emulation.most_shared);
      const Set set = Shape::set_of(task.set, task.asked, more_than, entries);
      Work work = work_of(task.asked, task.q);
      work.next += number;
      ++emulation.launches[typeid(Stored)];
      emulated::emulate(2, Threads, Shape::bytes(Shape::vertices(task.capacity), entries), emulation.order,
                        [&] { Shape::kernel(set, table_by_pair(task.reciprocals), edges, work); });
    }
  }
};

namespace {

using Space = Kokkos::Serial;
using Memory = Kokkos::HostSpace;

template <class T>
Kokkos::View<T*, Memory> view_of(const std::vector<T>& values) {
  return test::view_of<Memory>(values);
}

/// A hub with more edges than the lanes of a slice hold, a vertex without edges, a graph without any, and usual ones.
std::vector<Graph> graphs_of_all_kinds() {
  std::vector<Graph> graphs;
  const auto add = [&](const char* name, std::int32_t n, std::vector<Edge> edges, std::uint64_t seed) {
    graphs.push_back(test::labelled(name, n, test::weighted(std::move(edges), seed), seed));
  };
  std::vector<Edge> star;
  for (std::int32_t i = 1; i < 40; ++i) star.push_back({0, i, 1.0});
  add("star", 40, star, 1);
  add("dense", 17, test::random_edges(17, 0.8, 2), 3);
  add("a vertex apart", 12, test::cycle_edges(11), 4);
  add("no edges", 5, {}, 5);
  add("one", 1, {}, 6);
  add("two", 2, {{0, 1, 1.0}}, 7);
  // The two graphs that follow take many threads, and sanitizers see nothing in them that they do not see in the
  // others.
  if (test::sanitized) return graphs;
  add("cycle", 33, test::cycle_edges(33), 8);
  add("sparse", 70, test::random_edges(70, 0.05, 9), 10);
  return graphs;
}

/// A solve of all pairs.
template <class Scalar>
struct Solved {
  Kokkos::View<double**, Memory> values;
  Kokkos::View<PairResult*, Memory> results;

  Solved(const std::vector<Graph>& graphs, const GraphSolveOptions& options, const Stopping& stopping)
      : values("values", graphs.size(), graphs.size()), results("results", graphs.size() * (graphs.size() + 1) / 2) {
    const Arrays arrays(graphs);
    const auto prepared = prepare<Scalar>(Space(), test::batch_of<Memory>(arrays));
    SolveHandle<Space, Scalar> handle;
    octile::solve(Space(), handle, prepared, Symmetric(), typed_kernel(stopping), Outputs{values, results}, options);
    require_valid(Space(), prepared);
  }
};

constexpr double tight = test::tolerance::solve(Precision::float64);

template <class Scalar>
GraphSolveOptions options_of(GraphBackend backend = GraphBackend::automatic) {
  GraphSolveOptions options;
  options.solve = {std::is_same_v<Scalar, double> ? tight : test::tolerance::solve(Precision::float32), 1000};
  options.backend = backend;
  return options;
}

}  // namespace

TEST_CASE("a layout made where graphs lie has every edge once by rows and once by lanes") {
  const std::vector<Graph> graphs = graphs_of_all_kinds();
  const Arrays arrays(graphs);
  const auto prepared = prepare<double>(Space(), test::batch_of<Memory>(arrays));
  auto with_degrees = prepared.set();
  with_degrees.degrees = Kokkos::View<double*, Memory>("degrees", prepared.set().degrees.extent(0));
  for (std::size_t v = 0; v < with_degrees.degrees.extent(0); ++v) {
    with_degrees.degrees(v) = std::max(prepared.set().degrees(v), 0.5);
  }
  cuda::BatchSlices<double, Bond, Space> slices;
  slices.reserve(Space(), prepared.capacity());
  slices.lay_out(Space(), cuda::BatchSource<double, Memory>::of(prepared, with_degrees));
  cuda::write_labels(Space(), with_degrees.edge_labels, slices.label_places(), detail::ReadAsIs<Bond>());
  const auto& set = slices.set();
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    CAPTURE(graphs[g].name());
    const std::uint32_t first = set.vertex_begin(g);
    const std::uint32_t n = set.vertex_begin(g + 1) - first;
    const double scale = set.scales(g).weight;
    double most = 0;
    for (std::uint32_t v = 0; v < n; ++v) most = std::max(most, set.degrees(first + v));
    CHECK(most >= 1);
    CHECK(most < 2);
    // Each edge of each vertex, once.
    std::map<std::pair<std::uint32_t, std::uint32_t>, float> expected;
    for (const Edge& edge : graphs[g].edges()) {
      for (const auto& [i, j] : {std::pair(edge.i, edge.j), std::pair(edge.j, edge.i)}) {
        expected[{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)}] =
            static_cast<float>(scale * edge.weight);
      }
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, float> by_rows;
    for (std::uint32_t v = 0; v < n; ++v) {
      const std::uint32_t end = set.row_begin(first + v + 1);
      CHECK(end > set.row_begin(first + v));
      for (std::uint32_t e = set.row_begin(first + v); e < end; ++e) {
        CHECK(set.rows(e).last == (e + 1 == end ? v : none));
        if (set.rows(e).weight > 0) by_rows[{v, set.rows(e).column}] += set.rows(e).weight;
      }
    }
    CHECK(by_rows == expected);
    CHECK(set.row_entries(g) == (graphs[g].edge_count() > 0 ? set.row_begin(first + n) - set.row_begin(first) : 0));
    std::map<std::pair<std::uint32_t, std::uint32_t>, float> by_lanes;
    std::vector<int> written(n, 0);
    for (std::uint32_t s = set.slice_begin(g); s < set.slice_begin(g + 1); ++s) {
      std::uint32_t vertex = none;
      for (std::uint32_t lane = 0; lane < cuda::slice_lanes; ++lane) {
        const cuda::Lane& held = set.lanes(s * cuda::slice_lanes + lane);
        if (held.row != none) {
          vertex = held.row;
          ++written[vertex];
          CHECK(held.remaining <= 1U << set.slices(s).slice.steps);
          CHECK(lane + held.remaining <= cuda::slice_lanes);
        }
        for (std::uint32_t slot = 0; slot < set.slices(s).slice.slots; ++slot) {
          const std::uint32_t at = set.slices(s).slots + slot * cuda::slice_lanes + lane;
          CHECK(set.slot_columns(at) < n);
          if (set.slot_weights(at) > 0) by_lanes[{vertex, set.slot_columns(at)}] += set.slot_weights(at);
        }
      }
    }
    CHECK(by_lanes == expected);
    CHECK(std::ranges::all_of(written, [](int count) { return count == 1; }));
  }
}

TEST_CASE_TEMPLATE("graphs in Views by the native kernels are the reference's", Scalar, double, float) {
  const std::vector<Graph> graphs = graphs_of_all_kinds();
  constexpr Precision precision = std::is_same_v<Scalar, double> ? Precision::float64 : Precision::float32;
  for (const Stopping stopping :
       {Stopping(StoppingMeaning::probability, 0.05), Stopping(StoppingMeaning::weight, 0.3)}) {
    // In float a type reads lengths as they are, in double those of any type are stored as floats.
    const std::type_index stored = std::is_same_v<Scalar, double> ? typeid(NumberAndCode) : typeid(Bond);
    const int before = emulation.launches[stored];
    const Solved<Scalar> solved(graphs, options_of<Scalar>(), stopping);
    CHECK(emulation.launches[stored] > before);
    const Solved<Scalar> others(graphs, options_of<Scalar>(GraphBackend::portable), stopping);
    const std::vector<double> expected =
        gram(graphs, same_at_run_time(stopping), {.backend = BackendId::reference}).values;
    std::size_t k = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (std::size_t j = i; j < graphs.size(); ++j, ++k) {
        CAPTURE(graphs[i].name());
        CAPTURE(graphs[j].name());
        const PairResult& result = solved.results(k);
        const double value = expected[i * graphs.size() + j];
        CHECK(result.status == others.results(k).status);
        CHECK(std::abs(result.value - value) <= test::tolerance::value(precision) * value);
        if (precision == Precision::float64) {
          CHECK(std::abs(result.value - value) <= (result.residual + test::tolerance::exact_residual) * value);
        }
        CHECK(solved.values(i, j) == result.value);
      }
    }
    if (test::sanitized) return;
  }
}

namespace {

/// 1 − |a − b| / 4 of labels below 4, such as one or two bytes.
struct Nearness {
  template <class T, class Label>
  KOKKOS_FUNCTION T evaluate(const Label& a, const Label& b) const {
    const int difference = static_cast<int>(a) - static_cast<int>(b);
    return T(1) - T(difference < 0 ? -difference : difference) / T(4);
  }
};

/// Checks values in float of graphs whose edges have labels of another type, against those of the portable backend.
template <class Label, class Kernel>
void check_labels(const Kernel& kernel) {
  std::vector<Graph> graphs = graphs_of_all_kinds();
  graphs.erase(graphs.begin() + 3, graphs.end());
  const Arrays arrays(graphs);
  std::vector<Label> labels;
  for (const Bond& bond : arrays.bonds)
    labels.push_back(std::is_integral_v<Label> ? static_cast<Label>(bond.order) : static_cast<Label>(bond.length));
  const auto batch = GraphBatch(view_of(arrays.graph_offsets), view_of(arrays.row_offsets), view_of(arrays.columns))
                         .weights(view_of(arrays.weights))
                         .edge_labels(view_of(labels));
  const auto prepared = prepare<float>(Space(), batch);
  const auto solved = [&](GraphBackend backend) {
    SolveHandle<Space, float> handle;
    Kokkos::View<double**, Memory> values("values", graphs.size(), graphs.size());
    octile::solve(Space(), handle, prepared, Symmetric(),
                  TypedKernel{Constant(0.8), kernel, Stopping(StoppingMeaning::probability, 0.05)}, Outputs{values},
                  options_of<float>(backend));
    return values;
  };
  const auto found = solved(GraphBackend::automatic);
  const auto expected = solved(GraphBackend::portable);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j)
      CHECK(std::abs(found(i, j) - expected(i, j)) <= test::tolerance::value(Precision::float32) * expected(i, j));
  }
}

}  // namespace

TEST_CASE("labels of every size are read as they are") {
  check_labels<std::uint8_t>(Nearness());
  check_labels<float>(SquareExponential(0.3));
#if !defined(__SANITIZE_ADDRESS__) && !defined(OCTILE_COUNTED)
  // Each type has kernels of its own, which take long to compile there, and of which sanitizers see nothing that they do not see of the others.
  check_labels<std::int64_t>(Nearness());
  check_labels<double>(SquareExponential(0.3));
#endif
}

namespace {

/// All values of graphs by an expression along edges. Returns how many launches of native kernels there were, by stored labels.
template <class Scalar>
std::map<std::type_index, int> check_expression(const std::vector<Graph>& graphs, const Arrays& arrays,
                                                const char* edge) {
  CAPTURE(edge);
  const auto prepared = prepare<Scalar>(Space(), test::batch_of<Memory>(arrays));
  const TypedKernel kernel{Expression::parse("delta(kind,0.4)"), Expression::parse(edge),
                           Stopping(StoppingMeaning::probability, 0.05)};
  const auto solved = [&](GraphBackend backend) {
    SolveHandle<Space, Scalar> handle;
    Kokkos::View<double**, Memory> values("values", graphs.size(), graphs.size());
    Kokkos::View<PairResult*, Memory> results("results", graphs.size() * (graphs.size() + 1) / 2);
    octile::solve(Space(), handle, prepared, Symmetric(), kernel, Outputs{values, results},
                  options_of<Scalar>(backend));
    require_valid(Space(), handle);
    require_converged(Space(), results);
    return values;
  };
  emulation.launches.clear();
  const auto found = solved(GraphBackend::automatic);
  std::map<std::type_index, int> launches = emulation.launches;
  const auto expected = solved(GraphBackend::portable);
  constexpr Precision precision = std::is_same_v<Scalar, double> ? Precision::float64 : Precision::float32;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j)
      CHECK(std::abs(found(i, j) - expected(i, j)) <= test::tolerance::value(precision) * expected(i, j));
  }
  return launches;
}

}  // namespace

TEST_CASE_TEMPLATE("expressions that are products of few leaves are solved natively, others by others", Scalar, double,
                   float) {
  const std::vector<Graph> graphs = {test::labelled("a vertex apart", 12, test::cycle_edges(11), 4),
                                     test::labelled("dense", 17, test::random_edges(17, 0.8, 2), 3)};
  const Arrays arrays(graphs);
  const auto only = [](const auto& launches, const std::type_info& stored) {
    return launches.size() == 1 && launches.contains(stored);
  };
  CHECK(only(check_expression<Scalar>(graphs, arrays, "gaussian(length,0.3)"), typeid(float)));
  CHECK(only(check_expression<Scalar>(graphs, arrays, "0.7*gaussian(length,0.3)"), typeid(float)));
  CHECK(only(check_expression<Scalar>(graphs, arrays, "0.8"), typeid(NoLabel)));
  for (const char* edge : {"delta(order,0.5)", "delta(order,0)*gaussian(length,0.3)",
                           "0.5*delta(order,0.5)*delta(order,0.2)*gaussian(length,1)"}) {
    CHECK(only(check_expression<Scalar>(graphs, arrays, edge), typeid(NumberAndCode)));
  }
  for (const char* edge : {"gaussian(length,0.3)*gaussian(order,2)", "matern(length,0.3,1.5)", "delta(length,0.3)",
                           "gaussian(length,1e-40)", "0.5*delta(order,0.5) + 0.5*gaussian(length,0.3)"}) {
    const auto launches = check_expression<Scalar>(graphs, arrays, edge);
    CHECK(launches.empty());
  }
}

TEST_CASE_TEMPLATE("two words are the same for the same labels alone, whatever their type", T, std::int8_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint64_t, bool) {
  const std::vector<std::int64_t> numbers{0,     1,     -1,     2,     127,       -128,     128,
                                          65535, 65536, -32768, 65538, 1LL << 31, 1LL << 40};
  for (const int deltas : {1, 2}) {
    LeafProduct leaves;
    for (int k = 0; k < deltas; ++k) leaves.add_delta(0.5);
    std::map<std::uint32_t, T> first_of_code;
    int stored = 0;
    for (const std::int64_t number : numbers) {
      const auto label = static_cast<T>(number);
      WordsOfLabel words(leaves, 0, 0);
      for (int k = 0; k < deltas; ++k) words.compared(label);
      if (!words.fit()) continue;
      ++stored;
      const auto [at, is_new] = first_of_code.emplace(words.words().code, label);
      CHECK((is_new || at->second == label));
    }
    // Small ones of either sign are stored always.
    CHECK(stored >= (sizeof(T) == 1 ? 13 : std::is_signed_v<T> ? 7 : 6));
  }
}

TEST_CASE_TEMPLATE("graphs with labels that two words do not hold are solved by others", Scalar, double, float) {
  const std::vector<Graph> graphs = {test::labelled("cycle", 11, test::cycle_edges(11), 4),
                                     test::labelled("dense", 9, test::random_edges(9, 0.8, 2), 3)};
  const std::size_t of_first = 2 * graphs[0].edge_count();
  Arrays codes(graphs);
  Arrays numbers(graphs);
  for (std::size_t e = 0; e < codes.bonds.size(); ++e) {
    // The second graph alone has these labels: in 16 bits 65,538 is 2, and a float has no numbers between 1e9 and 1e9 +
    // 1.
    if (e >= of_first && codes.bonds[e].order == 1) codes.bonds[e].order = 65538;
    if (e >= of_first) numbers.bonds[e].length += 1e9;
  }
  CHECK(!check_expression<Scalar>(graphs, codes, "delta(order,0.5)*delta(order,0.2)").empty());
  CHECK(!check_expression<Scalar>(graphs, numbers, "delta(order,0.5)*gaussian(length,0.3)").empty());
  // All far from 0 are stored as differences from one of them.
  for (Bond& bond : numbers.bonds) bond.length = bond.length > 1e6 ? bond.length - 1e9 + 1e5 : bond.length + 1e5;
  CHECK(!check_expression<Scalar>(graphs, numbers, "delta(order,0.5)*gaussian(length,0.3)").empty());
}

TEST_CASE("a pair takes no more iterations than are allowed, natively and by others behind") {
  const std::vector<Graph> graphs = {test::random_graph(20, 0.3, 1), test::random_graph(17, 0.4, 2)};
  GraphSolveOptions options = options_of<double>();
  options.solve.max_iterations = 3;
  const Solved<double> solved(graphs, options, Stopping(StoppingMeaning::probability, 0.05));
  for (std::size_t k = 0; k < solved.results.extent(0); ++k) {
    CHECK(solved.results(k).status == Status::iteration_limit);
    CHECK(solved.results(k).iterations <= 3);
  }
}

TEST_CASE(
    "the bits do not depend on the order of threads, and pairs without room in shared memory are solved by others") {
  std::vector<Graph> graphs = graphs_of_all_kinds();
  graphs.erase(graphs.begin() + 6, graphs.end());
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const Solved<double> forwards(graphs, options_of<double>(), stopping);
  emulation.order = emulated::Order::backwards;
  const Solved<double> backwards(graphs, options_of<double>(), stopping);
  emulation.order = emulated::Order::forwards;
  // No shape has room for the edges of the dense graph then.
  emulation.most_shared = 46000;
  const Solved<double> crowded(graphs, options_of<double>(), stopping);
  emulation.most_shared = cuda::most_shared_memory;
  for (std::size_t k = 0; k < forwards.results.extent(0); ++k) {
    CHECK(forwards.results(k).value == backwards.results(k).value);
    CHECK(forwards.results(k).residual == backwards.results(k).residual);
    CHECK(crowded.results(k).status == Status::converged);
    CHECK(std::abs(crowded.results(k).value - forwards.results(k).value) <=
          test::tolerance::value(Precision::float64) * forwards.results(k).value);
  }
}

TEST_CASE_TEMPLATE("large graphs among small ones are solved by others, and keep none from native kernels", Scalar,
                   double, float) {
  // 200 × 40 elements have a shape, 200 × 200 have none, and 260 vertices are not laid out.
  const std::vector<Graph> graphs = {test::labelled("small", 12, test::random_edges(12, 0.4, 1), 2),
                                     test::labelled("usual", 40, test::cycle_edges(40), 3),
                                     test::labelled("large", 200, test::cycle_edges(200), 4),
                                     test::labelled("larger", 260, test::cycle_edges(260), 5),
                                     test::labelled("another small one", 9, test::random_edges(9, 0.5, 6), 7),
                                     test::labelled("a third", 10, test::random_edges(10, 0.5, 8), 9)};
  const Arrays arrays(graphs);
  const auto launches = check_expression<Scalar>(graphs, arrays, "delta(order,0.5)*gaussian(length,0.3)");
  CHECK(launches.size() == 1);
  CHECK(launches.contains(typeid(NumberAndCode)));
}

TEST_CASE("graphs that are large in the mean go to factors at once") {
  const std::vector<Graph> graphs = {test::labelled("one", 100, test::cycle_edges(100), 4),
                                     test::labelled("other", 110, test::cycle_edges(110), 5)};
  CHECK(check_expression<double>(graphs, Arrays(graphs), "gaussian(length,0.3)").empty());
}

TEST_CASE_TEMPLATE("similarities of vertices by the native kernels are those of the portable backend", Scalar, double,
                   float) {
  std::vector<Graph> graphs = graphs_of_all_kinds();
  graphs.erase(graphs.begin() + 5, graphs.end());
  const Arrays arrays(graphs);
  const auto prepared = prepare<Scalar>(Space(), test::batch_of<Memory>(arrays));
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const auto n = static_cast<std::int32_t>(graphs.size());
  const auto vertices_by = [&](GraphBackend backend, std::size_t memory) {
    SolveHandle<Space, Scalar> handle(memory);
    const Kokkos::View<double**, Memory> values("values", n, n);
    const Kokkos::View<double**, Memory> atoms("atoms", arrays.kinds.size(), n);
    GraphSolveOptions options = options_of<Scalar>(backend);
    options.normalize = Normalize::yes;
    octile::solve(Space(), handle, prepared, Rectangle{0, n, 0, n}, typed_kernel(stopping),
                  Outputs{values, NotGiven(), VerticesByGraphs{atoms}}, options);
    return std::pair(values, atoms);
  };
  const auto [values, atoms] = vertices_by(GraphBackend::portable, workspace_limit);
  // With little memory a few pairs are solved at a time.
  for (const std::size_t memory : {workspace_limit, std::size_t(100000)}) {
    const auto [found, of_vertices] = vertices_by(GraphBackend::automatic, memory);
    constexpr Precision precision = std::is_same_v<Scalar, double> ? Precision::float64 : Precision::float32;
    for (std::size_t i = 0; i < values.extent(0); ++i) {
      for (std::size_t j = 0; j < values.extent(1); ++j)
        CHECK(std::abs(found(i, j) - values(i, j)) <= 3 * test::tolerance::value(precision));
    }
    for (std::size_t v = 0; v < atoms.extent(0); ++v) {
      for (std::size_t j = 0; j < atoms.extent(1); ++j) {
        CHECK(std::abs(of_vertices(v, j) - atoms(v, j)) <=
              test::tolerance::nodewise_with_hubs(precision) * atoms(v, j));
      }
    }
  }
}
