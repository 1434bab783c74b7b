// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with graphs in Views, or does not fit, is named; nothing is left that looks like an answer.
#include <octile/graphs_in_views.hpp>
#include <octile/solve_graphs.hpp>

#include <doctest/doctest.h>

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <sys/resource.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/message_of.hpp"

namespace test_view_faults {

using namespace octile;

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

struct Bond {
  double length;
};

/// Rings in a caller's arrays. Vertex i has two entries: to i − 1, then to i + 1. Bond k joins k and k + 1.
struct Arrays {
  std::vector<int> graphs{0};
  std::vector<int> rows{0};
  std::vector<int> columns;
  std::vector<double> weights;
  std::vector<Bond> bonds;
  std::vector<int> kinds;

  explicit Arrays(const std::vector<int>& sizes) {
    for (const int size : sizes) add_ring(size);
  }

 private:
  void add_ring(int size) {
    const int first = graphs.back();
    for (int i = 0; i < size; ++i) {
      const int before = (i + size - 1) % size;
      for (const auto& [neighbour, bond] : {std::pair(before, before), std::pair((i + 1) % size, i)}) {
        columns.push_back(first + neighbour);
        weights.push_back(1 + 0.125 * bond);
        bonds.push_back({1 + 0.1 * bond});
      }
      rows.push_back(static_cast<int>(columns.size()));
      kinds.push_back(i % 2);
    }
    graphs.push_back(first + size);
  }
};

template <class T>
Kokkos::View<T*, Memory> on_device(const std::vector<T>& values) {
  Kokkos::View<T*, Memory> view("caller's", values.size());
  Kokkos::deep_copy(view,
                    Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()));
  return view;
}

template <class View>
auto on_host(const View& view) {
  Space().fence();
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

auto batch_of(const Arrays& arrays) {
  return GraphBatch(on_device(arrays.graphs), on_device(arrays.rows), on_device(arrays.columns))
      .weights(on_device(arrays.weights))
      .vertex_labels(on_device(arrays.kinds))
      .edge_labels(on_device(arrays.bonds));
}

const Stopping stopping(StoppingMeaning::probability, 0.05);

/// 0.5 … 1 by lengths, or wrong in a way.
struct BondKernel {
  enum Fault { none, own_value, one_way, at_one_pair, not_a_number } fault = none;

  template <class T>
  KOKKOS_FUNCTION T evaluate(const Bond& a, const Bond& b) const {
    const double difference = a.length - b.length;
    double value = Kokkos::exp(-difference * difference / 0.5);
    const auto is = [](const Bond& bond, double length) { return Kokkos::abs(bond.length - length) < 1e-6; };
    if (fault == own_value && is(a, 1.3) && is(b, 1.3)) value = 1.25;
    if (fault == one_way && a.length < b.length) value *= 0.5;
    // The first factor is made of the longest bond: the values of the other bonds with themselves are smaller.
    if (fault == at_one_pair) {
      const double share = 0.9;
      value *= (is(a, 1.6) ? 1 : share) * (is(b, 1.6) ? 1 : share);
      if ((is(a, 1.6) && is(b, 1)) || (is(b, 1.6) && is(a, 1))) value = 1.2;
    }
    if (fault == not_a_number && is(a, 1) && is(b, 1.2)) value = Kokkos::Experimental::quiet_NaN_v<double>;
    return static_cast<T>(value);
  }
};

/// 1 or 0.5; of a kind 2 not allowed.
struct KindKernel {
  template <class T>
  KOKKOS_FUNCTION T evaluate(int a, int b) const {
    return a == 2 || b == 2 ? T(0) : (a == b ? T(1) : T(0.5));
  }
};

auto kernel_of(BondKernel::Fault fault) { return TypedKernel{KindKernel(), BondKernel{fault}, stopping}; }

/// Views of all that a solve gives, which are full of numbers before.
struct Answers {
  Kokkos::View<double**, Memory> values{"values", 2, 2};
  Kokkos::View<PairResult*, Memory> results{"results", 3};
  Kokkos::View<double*, Memory> x{"x", 25 + 35 + 49};
  Kokkos::View<int*, Memory> begin = on_device(std::vector<int>{0, 25, 60, 109});
  Kokkos::View<double**, Memory> by_vertex{"by_vertex", 12, 2};

  Answers() {
    Kokkos::deep_copy(values, 7);
    Kokkos::deep_copy(x, 7);
    Kokkos::deep_copy(by_vertex, 7);
  }
  template <class Prepared, class Kernel>
  void solve(const Prepared& prepared, const Kernel& kernel, const GraphSolveOptions& options = {}) {
    SolveHandle<Space> handle;
    octile::solve(Space(), handle, prepared, Symmetric(), kernel, Outputs{values, results, Nodewise{x, begin}},
                  options);
    octile::solve(Space(), handle, prepared, Symmetric(), kernel, Outputs{values, results, VerticesByGraphs{by_vertex}},
                  options);
  }
  void check_nothing() const {
    const auto value = on_host(values);
    const auto result = on_host(results);
    const auto of_x = on_host(x);
    const auto sums = on_host(by_vertex);
    for (std::size_t k = 0; k < 4; ++k) CHECK(std::isnan(value(k / 2, k % 2)));
    for (std::size_t k = 0; k < 3; ++k) CHECK(result(k).status == Status::breakdown);
    for (std::size_t e = 0; e < of_x.extent(0); ++e) CHECK(std::isnan(of_x(e)));
    for (std::size_t k = 0; k < 24; ++k) CHECK(std::isnan(sums(k / 2, k % 2)));
  }
};

std::string fault_of(const Arrays& arrays) {
  const auto prepared = prepare(Space(), batch_of(arrays), {2, 12, 24, 7});
  Answers answers;
  answers.solve(prepared, kernel_of(BondKernel::none));
  answers.check_nothing();
  return test::message_of([&] { require_valid(Space(), prepared); });
}

std::string fault_of(BondKernel::Fault fault, Lowering lowering, const Arrays& arrays = Arrays({5, 7}),
                     GraphBackend backend = GraphBackend::automatic) {
  const auto prepared = prepare(Space(), batch_of(arrays), {2, 12, 24, 7});
  require_valid(Space(), prepared);
  GraphSolveOptions options;
  options.lowering = lowering;
  options.backend = backend;
  Answers answers;
  answers.solve(prepared, kernel_of(fault), options);
  answers.check_nothing();
  SolveHandle<Space> handle;
  solve(Space(), handle, prepared, Symmetric(), kernel_of(fault), Outputs{answers.values}, options);
  return test::message_of([&] { require_valid(Space(), handle); });
}

}  // namespace test_view_faults

using namespace test_view_faults;

TEST_CASE("a fault of a batch is named by graph, vertex, entry and value, and all outputs are NaN") {
  const auto fault_after = [](auto change) {
    Arrays arrays({5, 7});
    change(arrays);
    return fault_of(arrays);
  };
  CHECK(fault_after([](Arrays& of) { of.weights[13] = -1; }) ==
        "the batch is wrong at graph 1, vertex 6, entry 13, whose weight is -1: a weight is a finite number > 0");
  CHECK(fault_after([](Arrays& of) { of.columns[4] = 9; }) ==
        "the batch is wrong at graph 0, vertex 2, entry 4, whose column is 9: a column is another vertex of the same "
        "graph, numbered through all graphs");
  // The first vertex of the next graph.
  CHECK(fault_after([](Arrays& of) { of.columns[4] = of.graphs[1]; }) ==
        "the batch is wrong at graph 0, vertex 2, entry 4, whose column is 5: a column is another vertex of the same "
        "graph, numbered through all graphs");
  CHECK(fault_after([](Arrays& of) { of.columns[4] = of.columns[5]; }) ==
        "the batch is wrong at graph 0, vertex 2, entry 5, whose column is 3: an entry stands once in its row");
  CHECK(fault_after([](Arrays& of) { of.weights[10] = 3; }) ==
        "the batch is wrong at graph 1, vertex 5, entry 10, whose weight is 3: (i, j) and (j, i) are both there, with "
        "the same weight");
  CHECK(fault_after([](Arrays& of) { of.rows[12] = 25; }) ==
        "the batch is wrong at graph 1, vertex 11, whose row ends at entry 25: row offsets rise, and end within the "
        "entries and the capacity (there is room for 24)");
  CHECK(fault_after([](Arrays& of) { of.graphs[1] = 4; }) ==
        "the batch is wrong at graph 1, which has 8 vertices: a graph has at least one vertex, and no more than the "
        "capacity; offsets rise (there is room for 7 of one graph and 12 of all)");
  // As a part of a larger batch has them.
  CHECK(fault_after([](Arrays& of) { of.graphs[0] = 1; }) ==
        "the batch is wrong: the first offset of graphs is 1: the offsets of graphs begin at 0");
  CHECK(fault_after([](Arrays& of) { of.rows[0] = 2; }) ==
        "the batch is wrong: the first offset of rows is 2: the offsets of rows begin at 0");
}

TEST_CASE("a label that is not that of the entry across, or no number, is told as such") {
  const auto fault_after = [](double label) {
    const Arrays arrays({5, 7});
    std::vector<double> lengths;
    for (const Bond& bond : arrays.bonds) lengths.push_back(bond.length);
    lengths[12] = label;
    if (std::isnan(label)) lengths[11] = label;  // on both sides
    const auto batch = GraphBatch(on_device(arrays.graphs), on_device(arrays.rows), on_device(arrays.columns))
                           .edge_labels(on_device(lengths));
    const auto prepared = prepare(Space(), batch);
    return test::message_of([&] { require_valid(Space(), prepared); });
  };
  const std::string first_of_both = fault_after(7);
  CHECK(first_of_both ==
        "the batch is wrong at graph 1, vertex 5, entry 11 of column 6, whose label is not that of the entry across: "
        "(i, j) and (j, i) have the same label, which is not NaN");
  CHECK(fault_after(std::nan("")) == first_of_both);
}

TEST_CASE("a fault of an edge kernel is named by graph, vertex, both entries and value, factored or not") {
  for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
    CHECK(
        fault_of(BondKernel::own_value, lowering) ==
        "the kernel is wrong at graph 0, vertex 3, entry 7, where its value with entry 7 is 1.25: an edge kernel is in "
        "[0, 1]");
    CHECK(fault_of(BondKernel::one_way, lowering).find(": an edge kernel is the same both ways") != std::string::npos);
    CHECK(fault_of(BondKernel::not_a_number, lowering).find(" is nan: an edge kernel is in [0, 1]") !=
          std::string::npos);
    Arrays sides({5, 7});
    sides.bonds[12].length = 1.0001;  // of bond 0 of the second ring, whose other side is entry 11
    CHECK(fault_of(BondKernel::none, lowering, sides)
              .find(": (i, j) and (j, i) have labels that the edge kernel cannot tell apart") != std::string::npos);
  }
  // Entries that are not compared by chance are when factors are made of them.
  CHECK(fault_of(BondKernel::at_one_pair, Lowering::automatic, Arrays({5, 7}), GraphBackend::portable)
            .find(" is 1.2: an edge kernel is in [0, 1]") != std::string::npos);
}

TEST_CASE("a pair that breaks down has no x, and its neighbours have theirs") {
  Arrays arrays({5, 7});
  arrays.kinds[8] = 2;
  Answers answers;
  answers.solve(prepare(Space(), batch_of(arrays)), kernel_of(BondKernel::none));
  const auto x = on_host(answers.x);
  const auto sums = on_host(answers.by_vertex);
  for (std::size_t e = 0; e < 109; ++e) CHECK(std::isnan(x(e)) == (e >= 25));
  for (std::size_t v = 0; v < 12; ++v) {
    for (std::size_t g = 0; g < 2; ++g) CHECK(std::isnan(sums(v, g)) == (v >= 5 || g == 1));
  }
  const auto result = on_host(answers.results);
  CHECK(result(0).status == Status::converged);
  CHECK(result(1).status == Status::breakdown);
}

TEST_CASE("a value of a vertex kernel that is not allowed is named by both vertices, in one set and in two") {
  const Space space;
  Arrays arrays({5, 7});
  arrays.kinds[8] = 2;
  const auto wrong = prepare(space, batch_of(arrays));
  const auto right = prepare(space, batch_of(Arrays({5, 7})));
  const auto kernel = kernel_of(BondKernel::none);
  const Answers answers;
  const Outputs outputs{answers.values, answers.results};
  SolveHandle<Space> handle;
  GraphSolveOptions options;
  const auto told = [&] { return test::message_of([&] { require_valid(space, handle); }); };
  for (const GraphBackend backend : {GraphBackend::automatic, GraphBackend::portable}) {
    for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
      options.backend = backend;
      options.lowering = lowering;
      options.normalize = Normalize::no;
      solve(space, handle, wrong, Symmetric(), kernel, outputs, options);
      CHECK(told() ==
            "the kernel is wrong at graph 0, vertex 0, where its value with vertex 8 of graph 1 is 0: a vertex kernel "
            "is in (0, 1]");
      // What has nothing to do with that vertex stands.
      CHECK(on_host(answers.values)(0, 0) > 0);
      const Kokkos::View<Pair*, Memory> pairs = on_device(std::vector<Pair>{{0, 0}});
      const Kokkos::View<double*, Memory> one("one", 1);
      solve(space, handle, wrong, PairList{pairs}, kernel, Outputs{one}, options);
      CHECK(told() == "(no error)");
      const auto two = Kokkos::subview(answers.values, std::pair(0, 2), std::pair(0, 2));
      solve(space, handle, right, wrong, AllPairs(), kernel, Outputs{two}, options);
      CHECK(told() ==
            "the kernel is wrong at graph 0, vertex 0, where its value with vertex 8 of graph 1 of the columns is 0: a "
            "vertex kernel is in (0, 1]");
      // A pair that is solved only to normalise others is checked, too.
      options.normalize = Normalize::yes;
      solve(space, handle, wrong, right, AllPairs(), kernel, Outputs{two}, options);
      CHECK(told() ==
            "the kernel is wrong at graph 1, vertex 8, where its value with vertex 0 of graph 0 of the columns is 0: a "
            "vertex kernel is in (0, 1]");
    }
  }
  // No pair asked for is no fault.
  solve(space, handle, wrong, Rectangle{0, 0, 0, 2}, kernel, Outputs{NotGiven()});
  CHECK(told() == "(no error)");
}

TEST_CASE("what went wrong with a solve is said in one call, which names the graphs of a pair") {
  const Space space;
  const auto right = prepare(space, batch_of(Arrays({5, 7})));
  const auto kernel = kernel_of(BondKernel::none);
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  const Kokkos::View<PairResult*, Memory> results("results", 9);  // more than there are pairs
  SolveHandle<Space> handle;
  const auto told = [&] { return test::message_of([&] { require_converged(space, handle, results); }); };
  CHECK(told() == "(no error)");
  solve(space, handle, right, Symmetric(), kernel, Outputs{values, results});
  CHECK(told() == "(no error)");
  CHECK(test::message_of([&] { require_converged(space, results); }) ==
        "pair number 3 ended with 'breakdown' after 0 iterations");
  GraphSolveOptions once;
  once.backend = GraphBackend::portable;
  once.lowering = Lowering::on_the_fly;
  once.solve.max_iterations = 1;
  solve(space, handle, right, Rectangle{1, 1, 0, 2}, kernel,
        Outputs{Kokkos::subview(values, std::pair(0, 1), std::pair(0, 2)), results}, once);
  CHECK(told() == "graphs 1 and 0, pair number 0, ended with 'iteration limit' after 1 iterations");
  solve(space, handle, right, right, AllPairs(), kernel, Outputs{values, results}, once);
  CHECK(told() == "graphs 0 and 0 of two sets, pair number 0, ended with 'iteration limit' after 1 iterations");

  Arrays arrays({5, 7});
  arrays.weights[13] = -1;
  const auto wrong = prepare(space, batch_of(arrays));
  solve(space, handle, wrong, Symmetric(), kernel, Outputs{values, results});
  CHECK(told() ==
        "the batch is wrong at graph 1, vertex 6, entry 13, whose weight is -1: a weight is a finite number > 0");
  solve(space, handle, right, wrong, AllPairs(), kernel, Outputs{values, results});
  CHECK(told() ==
        "one of two sets: the batch is wrong at graph 1, vertex 6, entry 13, whose weight is -1: a weight is a finite "
        "number > 0");
  solve(space, handle, right, Symmetric(), kernel_of(BondKernel::own_value), Outputs{values, results});
  CHECK(told().starts_with("the kernel is wrong at graph 0, vertex 3, entry 7"));
}

TEST_CASE("a residual counts what factors round, and proves values in double alone") {
  const auto solve_with = []<class Scalar>(Scalar, Lowering lowering, Normalize normalize) {
    const auto prepared = prepare<Scalar>(Space(), batch_of(Arrays({5, 7})));
    SolveHandle<Space, Scalar> handle;
    const Answers answers;
    GraphSolveOptions options{.solve = {1e-5, 1000}};
    options.lowering = lowering;
    options.normalize = normalize;
    options.backend = GraphBackend::portable;
    solve(Space(), handle, prepared, Symmetric(), kernel_of(BondKernel::none), Outputs{answers.values, answers.results},
          options);
    const auto results = on_host(answers.results);
    if (normalize == Normalize::yes) CHECK(results(0).error_bound == 0);  // a graph with itself is 1
    return results(1);
  };
  constexpr double nothing = std::numeric_limits<double>::infinity();
  // 3 u amplified by ρ² / (1 − ρ²), ρ = 0.95.
  constexpr double rounding = 3 * 0x1p-24 * 0.9025 / 0.0975;
  CHECK(solve_with(1.0F, Lowering::automatic, Normalize::no).residual > rounding);
  for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
    CHECK(solve_with(1.0F, lowering, Normalize::no).error_bound == nothing);
    CHECK(solve_with(1.0F, lowering, Normalize::yes).error_bound == nothing);
    const PairResult alone = solve_with(1.0, lowering, Normalize::no);
    CHECK(alone.error_bound > alone.residual);
    CHECK(alone.error_bound < 1e-3);
    CHECK(solve_with(1.0, lowering, Normalize::yes).error_bound > alone.error_bound);
  }
}

TEST_CASE("weights of any size are scaled by powers of two") {
  const auto solved = [](double first, double second, const Stopping& by) {
    Arrays arrays({5, 7});
    for (std::size_t e = 0; e < arrays.weights.size(); ++e) arrays.weights[e] *= e < 10 ? first : second;
    const auto prepared = prepare<float>(Space(), batch_of(arrays));
    require_valid(Space(), prepared);
    SolveHandle<Space, float> handle;
    const Kokkos::View<double**, Memory> values("values", 2, 2);
    solve(Space(), handle, prepared, Symmetric(), TypedKernel{KindKernel(), BondKernel(), by}, Outputs{values},
          {.solve = {1e-5, 1000}});
    const std::string fault = test::message_of([&] { require_valid(Space(), handle); });
    return std::pair(on_host(values), fault);
  };
  const auto plain = solved(1, 1, stopping).first;
  for (const auto& factors : {std::pair(0x1p-140, 0x1p100), std::pair(0x1p-1000, 0x1p1000)}) {
    const double first = factors.first;
    const double second = factors.second;
    CAPTURE(first);
    CAPTURE(second);
    const auto [scaled, fault] = solved(first, second, stopping);
    CHECK(fault == "(no error)");
    for (std::size_t k = 0; k < 4; ++k) CHECK(scaled(k / 2, k % 2) == plain(k / 2, k % 2));
  }
  // As a weight, q is scaled with them: K is as q².
  const auto by_weight = solved(1, 1, {StoppingMeaning::weight, 0.25}).first;
  const auto small = solved(0x1p-30, 0x1p-30, {StoppingMeaning::weight, 0x1p-32}).first;
  for (std::size_t k = 0; k < 4; ++k) CHECK(small(k / 2, k % 2) == std::ldexp(by_weight(k / 2, k % 2), -60));
  const auto refused = solved(1, 0x1p-80, {StoppingMeaning::weight, 0.25});
  CHECK(std::isnan(refused.first(0, 0)));
  CHECK(refused.second.starts_with("the kernel is wrong at graph 1, whose largest weight is 1.447"));

  Arrays wide({5, 7});
  wide.weights[11] = wide.weights[12] = 1e-60;  // both sides of bond 0 of the second
  CHECK(test::message_of([&] { require_valid(Space(), prepare<float>(Space(), batch_of(wide))); }) ==
        "the batch is wrong at graph 1, vertex 5, entry 11, whose weight is 1e-60: beside the largest weight of its "
        "graph "
        "a weight does not vanish in this precision");
  require_valid(Space(), prepare(Space(), batch_of(wide)));
}

TEST_CASE("pairs of no graphs are a breakdown each") {
  PreparedGraphs<double, int, Bond, Memory> no_graphs(Space(), {2, 12, 24, 7});
  SolveHandle<Space> handle;
  const Kokkos::View<double*, Memory> values("values", 2);
  const Kokkos::View<PairResult*, Memory> results("results", 2);
  const auto pairs = on_device(std::vector<Pair>{{0, 0}, {0, 1}});
  solve(Space(), handle, no_graphs, PairList{pairs}, kernel_of(BondKernel::none), Outputs{values, results});
  CHECK(std::isnan(on_host(values)(1)));
  CHECK(on_host(results)(0).status == Status::breakdown);
  CHECK(test::message_of([&] { require_valid(Space(), handle); }) == "(no error)");
}

namespace test_view_faults {

int queued = 0;     // kernels
int allocated = 0;  // Views

/// How much Kokkos' tools were told of while `act` ran.
template <class Act>
std::pair<int, int> counted(const Act& act) {
  namespace Tools = Kokkos::Tools::Experimental;
  queued = allocated = 0;
  const auto count = [](const char*, std::uint32_t, std::uint64_t*) { ++queued; };
  Tools::set_begin_parallel_for_callback(count);
  Tools::set_begin_parallel_reduce_callback(count);
  Tools::set_begin_parallel_scan_callback(count);
  Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t bytes) {
    if (bytes > 0) ++allocated;
  });
  act();
  Tools::set_begin_parallel_for_callback(nullptr);
  Tools::set_begin_parallel_reduce_callback(nullptr);
  Tools::set_begin_parallel_scan_callback(nullptr);
  Tools::set_allocate_data_callback(nullptr);
  return {queued, allocated};
}

}  // namespace test_view_faults

TEST_CASE("what is refused has queued and allocated nothing") {
  const Space space;
  const auto batch = batch_of(Arrays({5, 7}));
  const auto prepared = prepare(space, batch);
  SolveHandle<Space> handle;
  const auto kernel = kernel_of(BondKernel::none);
  const Kokkos::View<double**, Memory> wrong("wrong", 2, 3);
  const Answers answers;
  const auto refused = [](const auto& act) {
    std::string message;
    const auto [kernels, views] = counted([&] { message = test::message_of(act); });
    CHECK(kernels == 0);
    CHECK(views == 0);
    return message;
  };
  CHECK(refused([&] { prepare(space, batch, {1, 12, 24, 7}); }) == "a batch of 2 graphs; the capacity is 1");
  CHECK(refused([&] {
          prepare(space, batch, {2, std::size_t(3) << 30, 24, 7});
        }) == "a capacity of 3221225472 vertices; allowed are 2147483639");
  CHECK(refused([&] {
          prepare(space, batch, {2, 12, std::size_t(3) << 30, 7});
        }) == "a capacity of 3221225472 entries; allowed are 2147483646");
  CHECK(refused([&] {
          prepare(space, batch, {2, 50000, 24, 50000});
        }) == "a capacity of 50000 vertices of the largest graph; allowed are 46340");
  CHECK(refused([&] { solve(space, handle, prepared, prepared, AllPairs(), kernel, Outputs{wrong}); }) ==
        "the View of the values is not of the shape of the pairs");
  CHECK(refused([&] {
          solve(space, handle, prepared, prepared, AllPairs(), kernel,
                Outputs{answers.values, NotGiven(), VerticesByGraphs{wrong}});
        }) == "the View of vertices by graphs has 3 columns; there are 2 graphs");
  GraphSolveOptions options;
  for (const double tolerance : {-1e-8, 1.0, std::nan("")}) {
    options.solve.tolerance = tolerance;
    CHECK(refused([&] {
            solve(space, handle, prepared, Symmetric(), kernel, Outputs{answers.values}, options);
          }).find("; allowed is a number between 0 and 1, or 0 for the usual one") != std::string::npos);
  }
  options = {};
  options.solve.max_iterations = 0;
  CHECK(refused([&] { solve(space, handle, prepared, Symmetric(), kernel, Outputs{answers.values}, options); }) ==
        "0 iterations at most; allowed are 1 or more");
  const Kokkos::View<int*, Memory> few("few", 4);
  CHECK(refused([&] { nodewise_begin(space, prepared, prepared, AllPairs(), few); }) ==
        "node-wise results have 4 places to begin; allowed are 5 or more");
  const std::string of_range = refused([&] {
    solve(space, handle, prepared, prepared, AllPairs(),
          TypedKernel{Expression::parse("0.5"), Expression::parse("0.5+0.75"), stopping}, Outputs{answers.values});
  });
  CAPTURE(of_range);
  CHECK(test::contains(of_range, "values reach 1.25"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST_CASE("where memory is short, that is one line, and all is as it was") {
  const Space space;
  const auto batch = batch_of(Arrays({5, 7}));
  auto prepared = prepare(space, batch);
  SolveHandle<Space> handle;
  const auto kernel = kernel_of(BondKernel::none);
  const Answers before;
  const auto solve_into = [&](const Answers& answers) {
    solve(space, handle, prepared, Symmetric(), kernel, Outputs{answers.values});
  };
  solve_into(before);
  const auto large = prepare(space, batch, {2, 40000, 24, 20000});  // vectors of a pair take 19 GB

  rlimit all{};
  getrlimit(RLIMIT_AS, &all);
  rlimit little = all;
  little.rlim_cur = rlim_t(3) << 30;
  setrlimit(RLIMIT_AS, &little);
  const std::string of_graphs = test::message_of([&] { prepare(space, batch, {2, 400'000'000, 24, 7}); });
  const Answers untouched;
  const std::string of_solve =
      test::message_of([&] { solve(space, handle, large, Symmetric(), kernel, Outputs{untouched.values}); });
  setrlimit(RLIMIT_AS, &all);
  CHECK(of_graphs.starts_with("there is no memory for graphs of this capacity: "));
  CHECK(of_graphs.find('\n') == std::string::npos);
  CHECK(of_solve.starts_with("there is no memory for a solve: "));
  CHECK(on_host(untouched.values)(0, 1) == 7);

  const Answers after;
  CHECK(counted([&] { solve_into(after); }).second == 0);
  CHECK(on_host(after.values)(0, 1) == on_host(before.values)(0, 1));
}
#endif

#if !defined(__SANITIZE_ADDRESS__)
namespace test_view_faults {

int allocations_left = 0;

/// Runs `act`, of whose allocations the first `count` succeed and the next one fails. Whether it came to that.
template <class Act>
bool failing_after(int count, const Act& act) {
  namespace Tools = Kokkos::Tools::Experimental;
  allocations_left = count;
  Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle, const char* name, const void*, std::uint64_t) {
    if (std::string_view(name).starts_with("octile::") && allocations_left-- == 0) throw std::bad_alloc();
  });
  act();
  Tools::set_allocate_data_callback(nullptr);
  return allocations_left < 0;
}

}  // namespace test_view_faults

TEST_CASE(
    "whichever allocation fails, that is one line, nothing is left that looks like an answer, and the next step is "
    "right") {
  const Space space;
  const auto batch = batch_of(Arrays({5, 7}));
  const auto larger = batch_of(Arrays({9, 11}));
  const auto kernel = kernel_of(BondKernel::none);
  for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
    GraphSolveOptions options;
    options.lowering = lowering;
    const auto solve_into = [&](SolveHandle<Space>& handle, const auto& prepared, const Answers& answers) {
      solve(space, handle, prepared, Symmetric(), kernel,
            Outputs{answers.values, answers.results, Nodewise{answers.x, answers.begin}}, options);
    };
    SolveHandle<Space> undisturbed;
    const auto prepared = prepare(space, batch);
    const Answers expected;
    solve_into(undisturbed, prepared, expected);
    // By a handle that has not solved before, and by one that has, for smaller graphs: what it had room for stays.
    const auto fails = [&](int count, bool solved_before) {
      CAPTURE(count);
      CAPTURE(solved_before);
      SolveHandle<Space> handle;
      if (solved_before) solve_into(handle, prepared, Answers());
      const Answers untouched;
      std::string message;
      const bool failed = failing_after(count, [&] {
        message = test::message_of([&] {
          const auto again = prepare(space, solved_before ? larger : batch);
          solve(space, handle, again, Symmetric(), kernel, Outputs{untouched.values}, options);
        });
      });
      if (!failed) return false;
      CHECK(message.starts_with("there is no memory for "));
      CHECK(message.find('\n') == std::string::npos);
      CHECK(on_host(untouched.values)(0, 1) == 7);
      const Answers after;
      solve_into(handle, prepared, after);
      CHECK(on_host(after.values)(0, 1) == on_host(expected.values)(0, 1));
      CHECK(on_host(after.x)(30) == on_host(expected.x)(30));
      return true;
    };
    for (const bool solved_before : {false, true}) {
      int count = 0;
      while (fails(count, solved_before)) ++count;
      CHECK(count > 10);
    }
  }
  // Memory may also be short where graphs of the host become a batch.
  const std::vector<Graph> graphs{Graph::from_edges("edge", 2, {{0, 1, 1.0}})};
  int count = 0;
  std::string message;
  while (failing_after(count, [&] { message = test::message_of([&] { (void)graph_batch(space, graphs); }); })) {
    CHECK(message.starts_with("there is no memory for what is copied to another memory: "));
    ++count;
  }
  CHECK(count == 6);
}
#endif

namespace test_view_faults {

/// exp(−50 (a − b)²) of lengths, and how often it was evaluated.
struct CountedKernel {
  Kokkos::View<long, Memory> calls;

  template <class T>
  KOKKOS_FUNCTION T evaluate(const Bond& a, const Bond& b) const {
    Kokkos::atomic_inc(&calls());
    const double difference = a.length - b.length;
    return static_cast<T>(Kokkos::exp(-50 * difference * difference));
  }
};

}  // namespace test_view_faults

TEST_CASE("labels that come to differ more from step to step stay factored") {
  const Space space;
  Arrays alike({5, 7});
  for (Bond& bond : alike.bonds) bond.length = 1;
  auto prepared = prepare(space, batch_of(alike));
  const CountedKernel edge{Kokkos::View<long, Memory>("calls")};
  const TypedKernel kernel{KindKernel(), edge, stopping};
  const auto solve_by = [&](SolveHandle<Space>& handle, Lowering lowering) {
    GraphSolveOptions options;
    options.lowering = lowering;
    options.backend = GraphBackend::portable;
    const Answers answers;
    Kokkos::deep_copy(edge.calls, 0);
    solve(space, handle, prepared, Symmetric(), kernel, Outputs{answers.values, answers.results}, options);
    require_valid(space, handle);
    require_converged(space, answers.results);
    return std::pair(on_host(answers.values), on_host(edge.calls)());
  };
  SolveHandle<Space> handle;
  solve_by(handle, Lowering::automatic);  // one factor suffices
  const Arrays apart({5, 7});
  prepared.assign(space, batch_of(apart));
  const auto [values, calls] = solve_by(handle, Lowering::automatic);
  SolveHandle<Space> other;
  const auto [expected, calls_on_the_fly] = solve_by(other, Lowering::on_the_fly);
  CHECK(3 * calls < calls_on_the_fly);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(std::abs(values(k / 2, k % 2) / expected(k / 2, k % 2) - 1) < 1e-7);
  }
}

TEST_CASE("kernels take turns without an allocation") {
  const Space space;
  auto prepared = prepare(space, batch_of(Arrays({5, 7})));
  const auto another = prepare(space, batch_of(Arrays({4})));
  SolveHandle<Space> handle;
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  const Kokkos::View<double**, Memory> of_another("of_another", 1, 1);
  const auto take_turns = [&] {
    for (const double length : {0.05, 0.3}) {
      solve(space, handle, prepared, Symmetric(),
            TypedKernel{KindKernel(), field<&Bond::length>(SquareExponential(length)), stopping}, Outputs{values});
      solve(space, handle, another, Symmetric(), kernel_of(BondKernel::none), Outputs{of_another});
    }
  };
  take_turns();
  CHECK(counted(take_turns).second == 0);
}

TEST_CASE("the capacity of a batch is that of its Views, and matrices are batches as they are") {
  const Arrays arrays({5, 7});
  // A matrix of Kokkos Kernels, whose offsets are of another type than its columns.
  using Matrix = KokkosSparse::CrsMatrix<double, int, Kokkos::Device<Space, Memory>, void, std::size_t>;
  const auto row_map = on_device(std::vector<std::size_t>(arrays.rows.begin(), arrays.rows.end()));
  const Matrix matrix("matrix", 12, 12, 24, on_device(arrays.weights), row_map, on_device(arrays.columns));
  const auto batch = graph_batch(on_device(arrays.graphs), matrix).vertex_labels(on_device(arrays.kinds));
  const Capacity capacity = capacity_of(Space(), batch);
  CHECK(capacity.graphs == 2);
  CHECK(capacity.vertices == 12);
  CHECK(capacity.entries == 24);
  CHECK(capacity.vertices_of_largest == 7);
  const auto prepared = prepare(Space(), batch);
  require_valid(Space(), prepared);
  SolveHandle<Space> handle;
  const Kokkos::View<double**, Memory> values("values", 2, 2);
  const TypedKernel kernel{KindKernel(), Constant(), stopping};
  solve(Space(), handle, prepared, Symmetric(), kernel, Outputs{values});

  const Kokkos::View<double**, Memory> by_arrays("by_arrays", 2, 2);
  const auto same = GraphBatch(on_device(arrays.graphs), on_device(arrays.rows), on_device(arrays.columns))
                        .weights(on_device(arrays.weights))
                        .vertex_labels(on_device(arrays.kinds));
  solve(Space(), handle, prepare(Space(), same), Symmetric(), kernel, Outputs{by_arrays});
  for (std::size_t k = 0; k < 4; ++k) CHECK(on_host(values)(k / 2, k % 2) == on_host(by_arrays)(k / 2, k % 2));
}

namespace test_view_faults {

/// Column `place` of a matrix whose other columns are of something else, as a View with strides.
template <class To, class T>
auto strided(const std::vector<T>& values, std::size_t place) {
  const Kokkos::View<To* [3], Kokkos::LayoutRight, Kokkos::HostSpace> host("host", values.size());
  Kokkos::deep_copy(host, static_cast<To>(77));
  for (std::size_t k = 0; k < values.size(); ++k) host(k, place) = static_cast<To>(values[k]);
  const auto matrix = Kokkos::create_mirror_view_and_copy(Memory(), host);
  return Kokkos::subview(matrix, Kokkos::ALL, place);
}

}  // namespace test_view_faults

TEST_CASE("Views of any integers and of any layout are read and written as they are") {
  const Arrays arrays({5, 7});
  const auto plain = prepare(Space(), batch_of(arrays));
  const auto batch = GraphBatch(strided<std::uint16_t>(arrays.graphs, 0), strided<std::uint64_t>(arrays.rows, 1),
                                strided<std::int8_t>(arrays.columns, 2))
                         .weights(strided<double>(arrays.weights, 1))
                         .vertex_labels(strided<int>(arrays.kinds, 2))
                         .edge_labels(on_device(arrays.bonds));
  const auto prepared = prepare(Space(), batch);
  require_valid(Space(), prepared);

  const auto kernel = kernel_of(BondKernel::none);
  const Answers answers;
  SolveHandle<Space> handle;
  solve(Space(), handle, plain, Symmetric(), kernel, Outputs{answers.values, answers.results});
  const Kokkos::View<double** [2], Kokkos::LayoutRight, Memory> room("room", 2, 2);
  const Kokkos::View<PairResult* [2], Kokkos::LayoutRight, Memory> results("results", 3);
  solve(Space(), handle, prepared, Symmetric(), kernel,
        Outputs{Kokkos::subview(room, Kokkos::ALL, Kokkos::ALL, 1), Kokkos::subview(results, Kokkos::ALL, 1)});
  const auto found = on_host(room);
  const auto expected = on_host(answers.values);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(found(k / 2, k % 2, 1) == expected(k / 2, k % 2));
    CHECK(found(k / 2, k % 2, 0) == 0);
  }
  CHECK(on_host(results)(2, 1).value == on_host(answers.results)(2).value);
}
