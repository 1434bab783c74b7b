// SPDX-License-Identifier: BSD-3-Clause
// The native CUDA kernels without a GPU: on the CPU, a fiber a thread (emulated/device.hpp).
#include "emulated/device.hpp"

#include <octile/backends.hpp>
#include <octile/cuda_bands.cuh>
#include <octile/cuda_dense.cuh>
#include <octile/cuda_kernels.cuh>
#include <octile/cuda_strips.cuh>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "emulated/native_set.hpp"
#include "graphs.hpp"
#include "settings.hpp"
#include "tolerances.hpp"

namespace {

using namespace octile;
using emulated::Launch;
using emulated::NativeSet;
using emulated::Order;
using emulated::Solved;

/// Vertex labels of three kinds; a wide edge kernel has few factors, a narrow one many.
KernelSpec kernel_of(const char* edge, const char* vertex = "delta(kind,0.4)") {
  return {Expression::parse(vertex), Expression::parse(edge), Stopping(StoppingMeaning::probability, 0.05)};
}

SolveOptions options() { return {test::tolerance::solve(Precision::float32), 5000}; }

/// Unequal degrees of few edges: a cycle with chords, and a hub of half the vertices.
std::vector<Edge> sparse_edges(std::int32_t vertices) {
  std::vector<Edge> edges = test::cycle_edges(vertices);
  for (std::int32_t i = 0; i + 5 < vertices; i += 3) edges.push_back({i, i + 5, 1.0});
  for (std::int32_t i = 7; i + 1 < vertices; i += 2) edges.push_back({0, i, 1.0});
  return edges;
}

Graph sparse(std::size_t vertices, bool with_weights) {
  const auto n = static_cast<std::int32_t>(vertices);
  std::vector<Edge> edges = sparse_edges(n);
  if (with_weights) edges = test::weighted(std::move(edges), vertices);
  return test::labelled("sparse " + std::to_string(n), n, std::move(edges), vertices);
}

Graph dense(std::size_t vertices, double density, bool with_weights) {
  const auto n = static_cast<std::int32_t>(vertices);
  std::vector<Edge> edges = test::random_edges(n, density, vertices);
  if (with_weights) edges = test::weighted(std::move(edges), vertices + 1);
  return test::labelled("dense " + std::to_string(n), n, std::move(edges), vertices + 2);
}

/// Graphs, and pairs of them up to `rows` × `columns` vertices, 12 × 11 at least.
struct Pairs {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;

  Pairs(std::size_t rows, std::size_t columns, bool with_weights) {
    const auto add = [this](Graph first, Graph second) {
      const auto number = static_cast<std::int32_t>(graphs.size());
      graphs.push_back(std::move(first));
      graphs.push_back(std::move(second));
      pairs.push_back({number, number + 1});
    };
    add(sparse(rows - 1, with_weights), sparse(columns, with_weights));
    add(sparse(rows, with_weights), sparse(columns - 1, with_weights));
    add(sparse(1, with_weights), sparse(1, with_weights));
    add(sparse(rows, with_weights), sparse(1, with_weights));
    add(sparse(2, with_weights), sparse(columns, with_weights));
    add(sparse(9, with_weights), sparse(7, with_weights));
    add(dense(rows, 0.25, with_weights), sparse(8, with_weights));
    add(sparse(11, with_weights), dense(columns, 0.25, with_weights));
    add(dense(std::min<std::size_t>(rows, 16), 1.0, with_weights),
        dense(std::min<std::size_t>(columns, 17), 0.9, with_weights));
    // No edges at all, and a vertex without any.
    add(test::labelled("no edges", 5, {}, 1), sparse(10, with_weights));
    add(test::labelled("a vertex apart", 12, test::cycle_edges(11), 2), sparse(10, with_weights));
  }
};

/// By another backend in double; the reference itself for what is small.
struct Expected {
  std::vector<PairResult> results;
  std::vector<double> nodewise;  ///< of the first pair

  Expected(const Pairs& of, const KernelSpec& kernel) {
    constexpr std::int32_t small = 400;
    const SolveOptions precise{test::tolerance::solve(Precision::float64), 5000};
    const auto solver = [&](const char* backend) {
      return make_pair_solver(backend, of.graphs, kernel, Precision::float64, precise);
    };
    const auto reference = solver("reference");
    const auto portable = solver("portable:openmp");
    results.resize(of.pairs.size());
    for (std::size_t k = 0; k < of.pairs.size(); ++k) {
      const auto vertices = [&](std::int32_t graph) {
        return of.graphs[static_cast<std::size_t>(graph)].vertex_count();
      };
      const bool judged = vertices(of.pairs[k].first) * vertices(of.pairs[k].second) <= small;
      (judged ? reference : portable)->solve({&of.pairs[k], 1}, {&results[k], 1});
    }
    portable->solve_nodewise(of.pairs[0], nodewise);
  }
};

void check_against(const Expected& expected, const Solved& solved, const Pairs& of, const Stopping& stopping) {
  const auto graph = [&](std::int32_t number) -> const Graph& { return of.graphs[static_cast<std::size_t>(number)]; };
  for (std::size_t k = 0; k < of.pairs.size(); ++k) {
    const PairResult& result = solved.results[k];
    CAPTURE(graph(of.pairs[k].first).name());
    CAPTURE(graph(of.pairs[k].second).name());
    CAPTURE(status_name(result.status));
    CAPTURE(result.residual);
    const std::size_t terms = test::most_terms(graph(of.pairs[k].first), graph(of.pairs[k].second));
    CHECK(test::settled(result, Precision::float32, stopping, terms));
    CHECK(test::relative_error(result.value, expected.results[k].value) <= test::tolerance::value(Precision::float32));
  }
  CHECK(test::relative_error(solved.nodewise, expected.nodewise) <=
        test::tolerance::nodewise_with_hubs(Precision::float32));
}

void check_equal_bits(const Solved& first, const Solved& second) {
  for (std::size_t k = 0; k < first.results.size(); ++k) {
    CAPTURE(k);
    CHECK(first.results[k].value == second.results[k].value);
    CHECK(first.results[k].residual == second.results[k].residual);
    CHECK(first.results[k].iterations == second.results[k].iterations);
  }
  CHECK(first.nodewise == second.nodewise);
}

/// `solve(launch)` gives the right values, and the same bits in another order of the threads and with less memory.
template <class Solve>
void check_solves(const Pairs& of, const KernelSpec& kernel, const Solve& solve) {
  const Solved solved = solve(Launch{of.pairs, Order::forwards});
  check_against(Expected(of, kernel), solved, of, kernel.stopping);
  check_equal_bits(solved, solve(Launch{of.pairs, Order::backwards, true}));
}

std::uint32_t record_of(const LoweringPlan& plan, std::size_t g, std::size_t e) { return plan.lowered.edge.ids[g][e]; }

/// A product of factors (cuda_owned.cuh), for pairs up to its size. `forms`: what it reads, without the factors.
template <class Product, class EdgeKernel = cuda::FactoredEdges<3>>
void check_owned(const char* edge, bool with_weights, const cuda::FactorForms& forms = {nullptr, 3, true},
                 const char* vertex = "delta(kind,0.4)") {
  CAPTURE(std::string(edge));
  CAPTURE(std::string(vertex));
  const Pairs of(Product::rows, Product::columns, with_weights);
  const KernelSpec kernel = kernel_of(edge, vertex);
  cuda::Layout layout;
  layout.factored = forms;
  const auto record = [](const LoweringPlan& plan, std::size_t g, std::size_t e) {
    return plan.lowered.edge.ids[g][e];
  };
  const NativeSet<std::uint32_t> set(of.graphs, kernel, Lowering::factored, layout, record, options());
  CAPTURE(set.plan().report);
  check_solves(of, kernel, [&](const Launch& launch) { return set.solve_owned<Product>(EdgeKernel(), launch); });
}

template <int Warps, int Rounds, int Columns>
void check_strips() {
  const cuda::FactorForms forms{nullptr, 1, false};
  check_owned<cuda::StripProduct<Warps, Rounds, Columns, false>, cuda::FactoredEdges<1, false>>("0.75", true, forms);
  check_owned<cuda::StripProduct<Warps, Rounds, Columns, true>, cuda::FactoredEdges<1, true>>("0.75", false, forms,
                                                                                              "1");
}

/// Edge kernels of 3 to 33 factors: one band, and several.
template <class Product>
void check_factors() {
  check_owned<Product>("gaussian(length,2)", true);
  check_owned<Product>("delta(order,0.5)", false, {nullptr, 3, true}, "1");
  check_owned<Product>("gaussian(length,0.3)", true, {nullptr, 3, true}, "delta(kind,0.4)*delta(element,0.2)");
  check_owned<Product>("delta(bond,0.2)*gaussian(length,0.3)", true);
}

/// A shape of `solve_pairs`.
template <cuda::Product Kind_, int Threads_, int K_, cuda::VectorPlace Where_>
struct Tier {
  static constexpr cuda::Product Kind = Kind_;
  static constexpr int Threads = Threads_;
  static constexpr int K = K_;
  static constexpr cuda::VectorPlace Where = Where_;
};

/// How a set is laid out and multiplied by `solve_pairs`.
struct Method {
  Lowering lowering = Lowering::on_the_fly;
  cuda::Layout layout{};
  cuda::OctileChoice choice{};
};

/// `make(plan)` is the edge kernel over labels that `read(plan, g, e)` gives.
template <class Tier, class Label, class Read, class Make>
void check_tier(const Pairs& of, const char* edge, const Method& method, const Read& read, const Make& make) {
  CAPTURE(std::string(edge));
  const KernelSpec kernel = kernel_of(edge);
  const NativeSet<Label> set(of.graphs, kernel, method.lowering, method.layout, read, options());
  CAPTURE(set.plan().report);
  check_solves(of, kernel, [&](const Launch& launch) {
    return set.template solve_pairs<Tier::Kind, Tier::Threads, Tier::K, Tier::Where>(make(set.plan()), launch,
                                                                                     method.choice);
  });
}

double parameter_of(const LoweringPlan& plan) { return plan.lowered.edge.program[0].parameter; }

/// By each edge kernel that the products of elements have.
template <class Tier>
void check_elements(std::size_t rows, std::size_t columns, const Method& method = {}) {
  const Pairs of(rows, columns, true);
  check_tier<Tier, NoLabel>(
      of, "0.75", method, [](const LoweringPlan&, std::size_t, std::size_t) { return NoLabel{}; },
      [](const LoweringPlan& plan) { return cuda::FastConstant{static_cast<float>(plan.lowered.edge_constant())}; });
  check_tier<Tier, std::uint32_t>(of, "delta(order,0.5)", method, record_of, [](const LoweringPlan& plan) {
    return cuda::FastDelta{static_cast<float>(parameter_of(plan))};
  });
  check_tier<Tier, float>(
      of, "gaussian(length,0.3)", method,
      [](const LoweringPlan& plan, std::size_t g, std::size_t e) {
        return cuda::FastSquareExponential::stored(plan.lowered.edge_number(g, e), parameter_of(plan));
      },
      [](const LoweringPlan&) { return cuda::FastSquareExponential{}; });
  Method by_table = method;
  by_table.lowering = Lowering::table;
  using Table = cuda::FastTable<Kokkos::HostSpace>;
  check_tier<Tier, std::uint32_t>(
      of, "delta(order,0.5)*delta(bond,0.8)", by_table, record_of, [](const LoweringPlan& plan) {
        return Table(typename Table::Table(Kokkos::DefaultHostExecutionSpace(), plan.lowered.edge));
      });
}

/// By the products of factors for pairs of any size.
template <int Chunk, cuda::VectorPlace Where>
void check_any_size(const char* edge) {
  using Edges = cuda::FactoredEdges<Chunk>;
  Method method{Lowering::factored};
  method.layout.factored = {nullptr, Chunk, false};
  check_tier<Tier<cuda::Product::factored, 256, 0, Where>, std::uint32_t>(Pairs(33, 70, true), edge, method, record_of,
                                                                          [](const LoweringPlan&) { return Edges(); });
}

/// What one block of `threads` threads fails with, if it does.
std::string failure_of(int threads, const std::function<void()>& kernel) {
  try {
    emulated::emulate(1, threads, 64, Order::forwards, kernel);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Two whole numbers that a half holds, made of a row and a column, as one word.
std::uint32_t two_numbers(int row, int column) {
  const auto number = [row](int at) { return static_cast<float>((7 * row + 3 * at) % 11 - 5); };
  return cuda::halves(number(column), number(column + 1));
}

float number_at(int row, int column) {
  const std::uint32_t word = two_numbers(row, column - column % 2);
  return column % 2 == 0 ? cuda::low_half(word) : cuda::high_half(word);
}

}  // namespace

TEST_CASE("threads that others wait for in vain are an error, not a hang") {
  CHECK(failure_of(64, [] {
          if (threadIdx.x < 32) __syncthreads();
        }) == "threads wait for ever: thread 0 of block 0 is in __syncthreads, thread 32 of block 0 is in its end");
  CHECK(failure_of(32, [] {
          if (threadIdx.x != 3) __syncwarp();
        }) == "threads wait for ever: thread 0 of block 0 is in __syncwarp, thread 3 of block 0 is in its end");
  CHECK(failure_of(32, [] { threadIdx.x < 9 ? __syncthreads() : __syncwarp(); }) ==
        "threads wait for ever: thread 0 of block 0 is in __syncthreads, thread 9 of block 0 is in __syncwarp");
  CHECK(failure_of(32, [] {
          if (threadIdx.x == 5) {
            __syncwarp();
          } else {
            __shfl_xor_sync(0xFFFFFFFFU, 1, 1);
          }
        }) == "thread 5 of block 0 comes to __syncwarp, other lanes of its warp to __shfl_xor_sync");
}

TEST_CASE("reading and writing behind a block's shared memory is an error") {
#ifndef __SANITIZE_ADDRESS__
  CHECK(failure_of(32, [] {
          if (threadIdx.x == 7) cuda::memory[64] = 1;
        }) == "block 0 has written byte 64 of shared memory, and has 64");
#endif
  CHECK(failure_of(32, [] { cuda::load_shared(64); }) == "4 bytes are read at 64 of 64 of shared memory");
  CHECK(failure_of(32, [] { cuda::load_shared_quad(8); }) == "16 bytes are read at 8 of 64 of shared memory");
}

TEST_CASE("a lack of a barrier shows in the order of the threads") {
  const auto last_seen = [](Order order, bool with_barrier) {
    int seen = 0;
    emulated::emulate(1, 64, 64, order, [&] {
      if (threadIdx.x == 0) cuda::memory[0] = 1;
      if (with_barrier) __syncthreads();
      if (threadIdx.x == 40) seen = cuda::memory[0];
    });
    return seen;
  };
  CHECK(last_seen(Order::forwards, true) == 1);
  CHECK(last_seen(Order::backwards, true) == 1);
  CHECK(last_seen(Order::forwards, false) == 1);
  CHECK(last_seen(Order::backwards, false) != 1);
}

TEST_CASE("the emulated instructions multiply and load matrices as they are documented to") {
  // D = A B + 1 with A and Bᵀ in shared memory, row by row, and B too, for the load that transposes.
  constexpr int edge = 16;
  std::vector<float> product(edge * 8);
  bool transposes = true;
  emulated::emulate(1, 32, 3 * edge * edge * 2, Order::backwards, [&] {
    const int lane = emulated::lane();
    auto* const a = reinterpret_cast<std::uint32_t*>(cuda::memory);
    auto* const columns = a + edge * edge / 2;
    auto* const rows = columns + edge * edge / 2;
    for (int k = lane; k < edge * edge / 2; k += 32) {
      const int row = k / 8;
      const int column = 2 * (k % 8);
      a[k] = two_numbers(row, column);
      columns[k] = cuda::halves(number_at(column + 1, row), number_at(column + 2, row));
      rows[k] = cuda::halves(number_at(row + 1, column), number_at(row + 1, column + 1));
    }
    __syncwarp();
    // Matrices 0 … 3: above left, below left, above right, below right.
    const int corner = lane % 16 * 8 + lane / 16 * 4;
    std::uint32_t left[4];
    std::uint32_t right[4];
    std::uint32_t turned[4];
    cuda::load_matrices(cuda::shared_address(a + corner), left);
    cuda::load_matrices(cuda::shared_address(columns + corner), right);
    cuda::load_transposed(cuda::shared_address(rows + corner), turned);
    // Of column g of B, rows 0 … 7 and 8 … 15.
    if (right[0] != turned[0] || right[2] != turned[1]) transposes = false;
    float d[4] = {1, 1, 1, 1};
    cuda::multiply_add(d, left, right[0], right[2]);
    for (int k = 0; k < 4; ++k) product[(lane / 4 + 8 * (k / 2)) * 8 + 2 * (lane % 4) + k % 2] = d[k];
  });
  CHECK(transposes);
  for (int i = 0; i < edge; ++i) {
    for (int j = 0; j < 8; ++j) {
      float sum = 1;
      for (int k = 0; k < edge; ++k) sum += number_at(i, k) * number_at(k + 1, j);
      CHECK(product[i * 8 + j] == sum);
    }
  }
}

TEST_CASE("halves are rounded to the nearest, and stay finite") {
  CHECK(cuda::low_half(cuda::halves(1.0F + 0x1p-11F, 3)) == 1.0F);
  CHECK(cuda::low_half(cuda::halves(1.0F + 0x3p-11F, 3)) == 1.0F + 0x1p-9F);
  CHECK(cuda::high_half(cuda::halves(3, 0x1p-24F)) == 0x1p-24F);
  CHECK(cuda::high_half(cuda::halves(3, -65504)) == -65504);
  CHECK(cuda::high_half(cuda::halves(3, 1e9F)) == 65504);
  CHECK(std::isnan(cuda::low_half(cuda::halves(std::nanf(""), 3))));
}

TEST_CASE("strips agree with double, up to the largest pairs of each shape") {
  check_strips<2, 16, 1>();
  check_strips<4, 16, 1>();
  check_strips<8, 8, 2>();
  check_strips<12, 8, 2>();
  check_strips<16, 6, 3>();
  check_strips<16, 8, 4>();
}

TEST_CASE("bands agree with double, up to the largest pairs of each shape") {
  check_factors<cuda::BandProduct<4, 6, 2, 3>>();
  check_factors<cuda::BandProduct<8, 9, 2, 3>>();
  check_factors<cuda::BandProduct<8, 12, 3, 4>>();
}

TEST_CASE("dense products of halves agree with double, up to the largest pairs of each shape") {
  const cuda::FactorForms forms{nullptr, 1, false};
  for (const char* vertex : {"delta(kind,0.4)", "0.9"}) {
    check_owned<cuda::DenseProduct<4>, cuda::FactoredEdges<1, true>>("0.75", false, forms, vertex);
    check_owned<cuda::DenseProduct<6>, cuda::FactoredEdges<1, true>>("0.75", false, forms, vertex);
  }
}

TEST_CASE("sums of dense products of halves agree with double, up to the largest pairs of each shape") {
  const cuda::FactorForms forms{nullptr, 3, false, true};
  for (const char* edge : {"gaussian(length,0.7)", "delta(order,0.3)", "0.75"}) {
    check_owned<cuda::DenseSumProduct<4>>(edge, true, forms);
    check_owned<cuda::DenseSumProduct<6>>(edge, true, forms, "0.9");
  }
}

TEST_CASE("slices agree with double, with vectors in registers, in shared and in global memory") {
  using cuda::VectorPlace;
  constexpr cuda::Product slices = cuda::Product::slices;
  check_elements<Tier<slices, 32, 8, VectorPlace::registers>>(16, 16);
  check_elements<Tier<slices, 64, 12, VectorPlace::registers>>(24, 32);
  check_elements<Tier<slices, 128, 16, VectorPlace::registers>>(64, 32);
  check_elements<Tier<slices, 1024, 9, VectorPlace::registers>>(90, 96);
  check_elements<Tier<slices, 512, 0, VectorPlace::shared>>(33, 40);
  check_elements<Tier<slices, 512, 0, VectorPlace::global>>(40, 33);
}

TEST_CASE("octiles agree with double, dense and sparse, compact and not") {
  using cuda::VectorPlace;
  constexpr cuda::Product octiles = cuda::Product::octiles;
  for (const PrimitiveFamily family : {PrimitiveFamily::adaptive, PrimitiveFamily::dense_dense,
                                       PrimitiveFamily::dense_sparse, PrimitiveFamily::sparse_sparse}) {
    CAPTURE(primitive_info(family).name);
    Method method;
    method.layout.octiles = true;
    method.choice = {family, cuda::native_thresholds(true), {}};
    check_elements<Tier<octiles, 64, 16, VectorPlace::registers>>(31, 33, method);
    method.layout.expanded = true;
    method.choice.steps.compact = false;
    check_elements<Tier<octiles, 128, 0, VectorPlace::global>>(17, 24, method);
  }
}

TEST_CASE("factors of pairs of any size agree with double, in shared and in global memory") {
  using cuda::VectorPlace;
  check_any_size<1, VectorPlace::shared>("0.75");
  check_any_size<1, VectorPlace::global>("0.75");
  check_any_size<3, VectorPlace::shared>("gaussian(length,0.3)");
  check_any_size<3, VectorPlace::global>("gaussian(length,0.3)");
}
