// SPDX-License-Identifier: BSD-3-Clause
// The native CUDA backend beyond the conformance suite: every tier of sizes, hubs, compile-time kernels, instances.
#include <octile/backends.hpp>
#include <octile/base_kernels.hpp>
#include <octile/cuda/gram.cuh>
#include <octile/gram.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/refinement.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/graphs.hpp"
#include "common/many_records.hpp"
#include "common/skips.hpp"
#include "common/tolerances.hpp"

namespace {

using namespace octile;

/// A ring with chords from every third vertex: sparse and connected.
Graph ring(int vertices, std::uint64_t seed) {
  std::vector<Edge> edges = test::path_edges(vertices);
  if (vertices > 2) edges.push_back({0, vertices - 1, 1.0});
  for (int i = 0; i + 5 < vertices; i += 3) edges.push_back({i, i + 5, 1.0});
  return test::labelled("ring" + std::to_string(vertices), vertices, test::weighted(std::move(edges), seed), seed + 1);
}

std::vector<PairResult> solved(std::string_view backend, const std::vector<Graph>& graphs, const KernelSpec& kernel,
                               Precision precision, const std::vector<Pair>& pairs, std::string_view primitive = "auto",
                               bool* native = nullptr, std::string_view lowering = "auto") {
  const SolveOptions options{test::tolerance::solve(precision), 5000};
  const auto solver = make_pair_solver(parse_backend(backend), graphs, kernel, precision, options,
                                       parse_primitive(primitive), default_memory, parse_lowering(lowering));
  if (native != nullptr) *native = solver->description().starts_with("native CUDA");
  std::vector<PairResult> results(pairs.size());
  solver->solve(pairs, results);
  return results;
}

/// Compares float32 with float64 for every native kind of edge kernel.
void check_against_double(std::vector<Graph> graphs, const std::vector<Pair>& pairs,
                          std::string_view primitive = "slices", std::string_view lowering = "auto") {
  CAPTURE(primitive);
  CAPTURE(lowering);
  // This graph is in no pair. With its labels there are too many for a table.
  graphs.push_back(ring(601, 601));
  for (const char* edge : {"1", "delta(order,0.5)", "delta(order,0.5)*delta(bond,0.8)", "gaussian(length,0.3)"}) {
    CAPTURE(edge);
    const KernelSpec kernel{Expression::parse("delta(kind,0.4)"), Expression::parse(edge),
                            Stopping(StoppingMeaning::probability, 0.05)};
    bool native = false;
    const auto results = solved("cuda", graphs, kernel, Precision::float32, pairs, primitive, &native, lowering);
    const auto expected = solved("portable:cuda", graphs, kernel, Precision::float64, pairs);
    CHECK(native);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      CAPTURE(graphs[static_cast<std::size_t>(pairs[k].first)].name());
      CAPTURE(graphs[static_cast<std::size_t>(pairs[k].second)].name());
      CHECK(results[k].status == Status::converged);
      CHECK(std::abs(results[k].value - expected[k].value) <=
            test::tolerance::value(Precision::float32) * expected[k].value);
    }
  }
}

std::vector<Pair> all_pairs(std::size_t count) {
  std::vector<Pair> pairs;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(count); ++i) {
    for (std::int32_t j = i; j < static_cast<std::int32_t>(count); ++j) pairs.push_back({i, j});
  }
  return pairs;
}

struct Bond {
  std::int64_t order;
  double length;
};

Bond bond_of(const Graph& graph, std::size_t e) {
  const LabelColumns& labels = graph.edge_labels();
  return {std::get<std::vector<std::int64_t>>(labels.at("order"))[e],
          std::get<std::vector<double>>(labels.at("length"))[e]};
}

auto bond_kernel() {
  return TensorProduct(field<&Bond::order>(KroneckerDelta(0.5)), field<&Bond::length>(SquareExponential(0.3)));
}

/// A set that is large enough for starts from projected systems.
std::vector<Graph> graphs_with_starts() {
  std::vector<Graph> graphs;
  for (int k = 0; k < 32; ++k) {
    const int n = 70 + 26 * k / 31;
    graphs.push_back(test::labelled("random " + std::to_string(k), n,
                                    test::weighted(test::random_edges(n, 0.05, 7 + k), 11 + k), 13 + k));
  }
  return graphs;
}

/// A solver with compile-time kernels, on an instance.
auto typed_solver(const Kokkos::Cuda& space, const std::vector<Graph>& graphs) {
  const auto read_vertex = [&](std::size_t g, std::size_t v) {
    return static_cast<int>(std::get<std::vector<std::int64_t>>(graphs[g].vertex_labels().at("kind"))[v]);
  };
  const auto read_edge = [&](std::size_t g, std::size_t e) { return bond_of(graphs[g], e); };
  using Solver = cuda::GramSolver<KroneckerDelta, decltype(bond_kernel()), int, Bond>;
  return std::make_unique<Solver>(space, graphs, Stopping(StoppingMeaning::probability, 0.05), KroneckerDelta(0.4),
                                  bond_kernel(), read_vertex, read_edge);
}

template <class Gram>
auto on_host(const Gram& gram) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), gram.values);
}

}  // namespace

TEST_CASE("pairs on both sides of each tier's limit agree with double: what the sanitizers run") {
  std::vector<Graph> graphs;
  for (const int vertices : {1, 2, 16, 17, 23, 32, 33, 39, 46, 64, 79}) {
    graphs.push_back(ring(vertices, static_cast<std::uint64_t>(vertices)));
  }
  check_against_double(graphs, all_pairs(graphs.size()));
  const std::vector<Graph> some{ring(9, 9), ring(17, 17)};
  for (const char* primitive :
       {"tiling-blocking", "dense-dense", "dense-sparse", "sparse-sparse", "adaptive",
        "tiling-blocking:expanded,warp,static", "adaptive:expanded", "adaptive:warp", "adaptive:static"}) {
    check_against_double(some, all_pairs(some.size()), primitive);
  }
  check_against_double({ring(7, 7), ring(33, 33)}, all_pairs(2), "auto", "factored");
}

TEST_CASE("pairs of a set large enough start from projected systems: what the sanitizers run") {
  const std::vector<Graph> graphs = graphs_with_starts();
  const std::vector<Pair> pairs{{0, 31}, {31, 30}, {7, 7}, {12, 3}, {20, 21}};
  const KernelSpec kernel{Expression::parse("delta(kind,0.4)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const SolveOptions options{test::tolerance::solve(Precision::float32), 5000};
  const auto expected = solved("portable:cuda", graphs, kernel, Precision::float64, pairs);
  for (const char* lowering : {"on-the-fly", "factored"}) {
    CAPTURE(lowering);
    // In the smaller set the first graph is missing, and its pairs are not solved.
    const auto products = [&](std::int32_t missing) {
      const auto solver =
          make_pair_solver(BackendId::cuda, std::span<const Graph>(graphs).subspan(static_cast<std::size_t>(missing)),
                           kernel, Precision::float32, options, {}, default_memory, parse_lowering(lowering));
      CAPTURE(solver->description());
      const bool started = solver->description().find("started from projected systems") != std::string::npos;
      CHECK(started == (missing == 0));
      int sum = 0;
      for (std::size_t k = 1; k < pairs.size(); ++k) {
        const Pair pair{pairs[k].first - missing, pairs[k].second - missing};
        PairResult result;
        solver->solve({&pair, 1}, {&result, 1});
        CHECK(result.status == Status::converged);
        CHECK(std::abs(result.value - expected[k].value) <=
              test::tolerance::value(Precision::float32) * expected[k].value);
        sum += result.iterations;
      }
      return sum;
    };
    CHECK(products(0) < products(1));
  }
}

TEST_CASE("the device time of a solve has that of the set's bases in the first one alone") {
  // Bases are formed for the whole set. The pair that is solved takes little beside them.
  std::vector<Graph> graphs = graphs_with_starts();
  graphs.push_back(ring(8, 8));
  const KernelSpec kernel{Expression::parse("delta(kind,0.4)"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const CostModel cost(graphs);
  GramOptions options;
  options.backend = BackendId::cuda;
  options.lowering = Lowering::on_the_fly;
  for (const Accuracy::Kind kind : {Accuracy::Kind::estimated, Accuracy::Kind::certified}) {
    CAPTURE(static_cast<int>(kind));
    options.accuracy = Accuracy{kind, 1e-3};
    const auto seconds = [](PairSolver& solver) {
      const Pair one{32, 32};
      PairResult result;
      solver.solve({&one, 1}, {&result, 1});
      CHECK(result.status == Status::converged);
      return solver.device_seconds();
    };
    // The device loads kernels when they are first launched: that is the time of another solver.
    seconds(*make_gram_solver(graphs, kernel, options, cost));
    const auto solver = make_gram_solver(graphs, kernel, options, cost);
    const double first = seconds(*solver);
    for (const char* again : {"second", "third"}) {
      CAPTURE(again);
      CAPTURE(first);
      const double later = seconds(*solver);
      CAPTURE(later);
      CHECK(later > 0);
      CHECK(later < first / 2);
    }
  }
}

TEST_CASE("more vertex labels than a table takes are solved natively: what the sanitizers run") {
  const std::vector<Graph> graphs = test::graphs_of_many_records(3400, 20);
  const std::vector<Pair> pairs{{0, 1}, {3399, 17}, {5, 5}, {1700, 3000}};
  for (const auto& [edge, lowering] :
       {std::pair("1", "auto"), std::pair("1", "factored"), std::pair("delta(order,0.5)", "auto"),
        std::pair("gaussian(order,2)", "auto"), std::pair("gaussian(order,2)", "factored"),
        std::pair("delta(order,0.5)*gaussian(order,2)", "table")}) {
    CAPTURE(edge);
    CAPTURE(lowering);
    const KernelSpec kernel{Expression::parse(test::many_records_kernel), Expression::parse(edge),
                            Stopping(StoppingMeaning::probability, 0.05)};
    REQUIRE(lower(graphs, kernel.vertex, LabelSite::vertex).record_count > UINT16_MAX);
    bool native = false;
    const auto results = solved("cuda", graphs, kernel, Precision::float32, pairs, "auto", &native, lowering);
    const auto expected = solved("reference", graphs, kernel, Precision::float64, pairs);
    CHECK(native);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      CHECK(results[k].status == Status::converged);
      CHECK(std::abs(results[k].value - expected[k].value) <=
            test::tolerance::value(Precision::float32) * expected[k].value);
    }
  }
}

TEST_CASE("values of many vertex labels are proven as those of few are, in parts where memory is short") {
  const std::vector<Graph> graphs = test::graphs_of_many_records(220, 20);
  const KernelSpec kernel{Expression::parse(test::many_records_kernel), Expression::parse("delta(order,0.5)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  GramOptions options;
  options.accuracy = Accuracy::parse("1e-10");
  options.backend = BackendId::portable_openmp;
  const GramResult expected = gram(graphs, kernel, options);
  options.backend = BackendId::cuda;
  for (const std::size_t memory : {default_memory, std::size_t{96} << 20}) {
    options.memory = memory;
    const GramResult found = gram(graphs, kernel, options);
    CAPTURE(found.description);
    CHECK(found.description.find("vertex kernel once a pair by") != std::string::npos);
    CHECK(largest_error(found, false) <= 1e-10);
    for (std::size_t k = 0; k < found.values.size(); ++k) {
      CHECK(std::abs(found.values[k] - expected.values[k]) <= 2e-10 * expected.values[k]);
    }
  }
}

TEST_CASE("factored products agree with double on each place of the vectors") {
  std::vector<Graph> graphs;
  for (const int vertices : {1, 8, 31, 32, 64, 65, 90, 96, 97, 110, 130, 240, 551}) {
    graphs.push_back(ring(vertices, static_cast<std::uint64_t>(vertices)));
  }
  check_against_double(graphs, all_pairs(graphs.size()), "auto", "factored");
}

TEST_CASE("octile products agree with double on each place of the vectors") {
  const std::vector<Graph> graphs{ring(24, 24), ring(90, 90), ring(130, 130)};
  for (const char* primitive : {"tiling-blocking", "adaptive", "adaptive:warp", "sparse-sparse:expanded,warp,static"}) {
    check_against_double(graphs, all_pairs(graphs.size()), primitive);
  }
}

TEST_CASE("larger pairs agree with double, in registers, shared and global memory") {
  std::vector<Graph> graphs;
  for (const int vertices : {8, 96, 97, 110, 190, 240, 551}) {
    graphs.push_back(ring(vertices, static_cast<std::uint64_t>(vertices)));
  }
  check_against_double(graphs, all_pairs(graphs.size()));
}

TEST_CASE("an edge kernel that is nothing within the error is still a product, of zeros") {
  const std::vector<Graph> graphs{ring(20, 20), ring(33, 33)};
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.9999)};
  const auto results = solved("cuda", graphs, kernel, Precision::float32, all_pairs(2), "auto", nullptr, "factored");
  const auto expected = solved("portable:cuda", graphs, kernel, Precision::float64, all_pairs(2));
  for (std::size_t k = 0; k < results.size(); ++k) {
    CHECK(results[k].status == Status::converged);
    CHECK(std::abs(results[k].value - expected[k].value) <=
          test::tolerance::value(Precision::float32) * expected[k].value);
  }
}

TEST_CASE("pairs of 551 and of 987 vertices agree with double") {
  const std::vector<Graph> graphs{ring(551, 1), ring(987, 2)};
  check_against_double(graphs, {{1, 1}, {0, 1}, {0, 0}});
}

TEST_CASE(
    "vertex labels that are too many for a table of the host are tabulated on the device, and values proven with "
    "them") {
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 0; seed < 24; ++seed) graphs.push_back(ring(20 + static_cast<int>(seed), seed));
  const std::vector<Pair> pairs = all_pairs(graphs.size());
  for (const char* vertex : {"delta(element,0.4)*gaussian(charge,0.3)", "normalize(1+dot(point))"}) {
    CAPTURE(vertex);
    const KernelSpec kernel{Expression::parse(vertex), Expression::parse("delta(order,0.5)"),
                            Stopping(StoppingMeaning::probability, 0.05)};
    REQUIRE(lower(graphs, kernel.vertex, LabelSite::vertex).record_count > table_limit);
    bool native = false;
    const auto results = solved("cuda", graphs, kernel, Precision::float32, pairs, "auto", &native);
    const auto expected = solved("reference", graphs, kernel, Precision::float64, pairs);
    CHECK(native);
    GramOptions options;
    options.backend = parse_backend("cuda");
    options.accuracy = Accuracy{Accuracy::Kind::certified, 1e-9};
    const GramResult proven = gram(graphs, kernel, options);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      CHECK(results[k].status == Status::converged);
      CHECK(std::abs(results[k].value - expected[k].value) <=
            test::tolerance::value(Precision::float32) * expected[k].value);
      CHECK(proven.pairs[k].status == Status::converged);
      CHECK(proven.pairs[k].error_bound <= 1e-9);
      CHECK(std::abs(proven.pairs[k].value - expected[k].value) <=
            (proven.pairs[k].error_bound + test::tolerance::sums) * expected[k].value);
    }
  }
}

TEST_CASE("a vertex of 300 edges, which no lane's four slots hold, is summed in full") {
  std::vector<Edge> edges;
  for (int leaf = 1; leaf <= 300; ++leaf) edges.push_back({0, leaf, 1.0});
  for (int leaf = 1; leaf < 300; leaf += 2) edges.push_back({leaf, leaf + 1, 1.0});
  const std::vector<Graph> graphs{test::labelled("hub", 302, test::weighted(std::move(edges), 5), 6), ring(20, 7)};
  check_against_double(graphs, all_pairs(2));
}

TEST_CASE("compile-time kernels give what the run-time expression of the same formula gives, at every call") {
  const std::vector<Graph> graphs = test::small_graphs();
  const Kokkos::Cuda space;
  const auto solver = typed_solver(space, graphs);
  const auto first = on_host(solver->enqueue());
  const auto second = on_host(solver->enqueue());

  const KernelSpec kernel{Expression::parse("delta(kind,0.4)"),
                          Expression::parse("delta(order,0.5)*gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  GramOptions options;
  options.backend = BackendId::reference;
  const GramResult judged = gram(graphs, kernel, options);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) {
      const double expected = judged.values[i * graphs.size() + j];
      CHECK(std::abs(first(i, j) - expected) <= test::tolerance::value(Precision::float32) * expected);
      CHECK(first(i, j) == first(j, i));
      CHECK(first(i, j) == second(i, j));
    }
  }
}

TEST_CASE("two instances work at once, each in its own order, and give equal bits") {
  const std::vector<Graph> graphs = test::small_graphs();
  const auto instances = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1, 1);
  const auto first = typed_solver(instances[0], graphs);
  const auto second = typed_solver(instances[1], graphs);
  const auto& gram = first->enqueue();
  const auto& other = second->enqueue();
  for (const auto& space : instances) space.fence();
  const auto values = on_host(gram);
  const auto others = on_host(other);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) CHECK(values(i, j) == others(i, j));
  }
}

TEST_CASE("on a second device the work of its instance gives equal bits, whichever device is current") {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) return test::skip("fewer than two devices here");
  const std::vector<Graph> graphs = test::small_graphs();
  const auto expected = on_host(typed_solver(Kokkos::Cuda(), graphs)->enqueue());
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  {
    const Kokkos::Cuda space(stream);
    REQUIRE(space.cuda_device() == 1);
    for (const int current : {0, 1}) {
      CAPTURE(current);
      REQUIRE(cudaSetDevice(current) == cudaSuccess);
      const auto solver = typed_solver(space, graphs);
      // Kokkos makes an instance's device current as it works on it, and leaves it so.
      REQUIRE(cudaSetDevice(current) == cudaSuccess);
      const auto& gram = solver->enqueue();
      space.fence();
      cudaPointerAttributes place{};
      REQUIRE(cudaPointerGetAttributes(&place, gram.results.data()) == cudaSuccess);
      CHECK(place.device == 1);
      const auto values = Kokkos::create_mirror_view(Kokkos::HostSpace(), gram.values);
      Kokkos::deep_copy(space, values, gram.values);
      space.fence();
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        for (std::size_t j = 0; j < graphs.size(); ++j) CHECK(values(i, j) == expected(i, j));
      }
    }
  }
  cudaStreamDestroy(stream);
  cudaSetDevice(0);
}

TEST_CASE("what is solved on an instance is in the order of its work: a copy queued behind it sees the results") {
  const std::vector<Graph> graphs = test::small_graphs();
  const auto instances = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1, 1);
  const auto solver = typed_solver(instances[0], graphs);
  const auto& gram = solver->enqueue();
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), gram.values);
  Kokkos::deep_copy(instances[0], host, gram.values);
  instances[0].fence();
  const auto later = on_host(gram);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (std::size_t j = 0; j < graphs.size(); ++j) CHECK(host(i, j) == later(i, j));
  }
}

TEST_CASE("a pair that no workspace has room for is refused with the figure, before anything runs") {
  const std::vector<Graph> graphs{ring(987, 2)};
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("gaussian(length,0.3)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const auto solver = make_pair_solver(BackendId::cuda, graphs, kernel, Precision::float32, {}, {}, 4 << 20);
  std::vector<PairResult> results(1);
  CHECK_THROWS_WITH_AS(solver->solve(std::vector<Pair>{{0, 0}}, results),
                       doctest::Contains("a pair of 987 and 987 vertices takes"), Error);
}
