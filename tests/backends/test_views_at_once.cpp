// SPDX-License-Identifier: BSD-3-Clause
// Solves of graphs in Views by several threads of the host at once, each with an instance and a handle of its own.
#include <octile/graphs_in_views.hpp>
#include <octile/solve_graphs.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "common/graphs.hpp"
#include "common/message_of.hpp"
#include "common/skips.hpp"
#include "common/views.hpp"

namespace {

using namespace octile;

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

constexpr int steps = 6;

/// Up to three instances that work side by side: streams of a GPU, or parts of a host's threads. On one thread there is one.
std::vector<Space> instances() {
  const Space whole;
  const int count =
      std::min(whole.concurrency(), 3);  // NOLINT(readability-static-accessed-through-instance): of OpenMP alone
  if (count < 2) return {whole};
  return Kokkos::Experimental::partition_space(whole, std::vector<int>(static_cast<std::size_t>(count), 1));
}

/// All values of a solve, on the host.
std::vector<double> values_of(const Space& space, const Kokkos::View<double**, Memory>& values) {
  const auto host = detail::to_host(space, "values", values);
  std::vector<double> all;
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    for (std::size_t j = 0; j < host.extent(1); ++j) all.push_back(host(i, j));
  }
  return all;
}

}  // namespace

TEST_CASE("threads that solve at once, with prepared graphs in common, have the bits of one that solves alone") {
  const std::vector<Graph> graphs = test::small_graphs();
  const std::size_t n = graphs.size();
  const auto batch = test::batch_of<Memory>(test::Arrays(graphs));
  const Space alone;
  const auto shared = prepare(alone, batch);
  require_valid(alone, shared);
  const auto kernel_of = [](double q) { return test::typed_kernel(Stopping(StoppingMeaning::probability, q)); };
  GraphSolveOptions options;
  options.normalize = Normalize::yes;
  const auto q_of = [](std::size_t thread, int step) { return 0.05 + 0.1 * double(thread) + 0.02 * (step % 2); };

  const std::vector<Space> spaces = instances();
  const std::size_t threads = spaces.size();
  std::vector<std::vector<double>> expected;
  SolveHandle<Space> handle;
  const Kokkos::View<double**, Memory> values("values", n, n);
  for (std::size_t t = 0; t < threads; ++t) {
    for (int step = 0; step < 2; ++step) {
      solve(alone, handle, shared, Symmetric(), kernel_of(q_of(t, step)), Outputs{values}, options);
      expected.push_back(values_of(alone, values));
    }
  }

  // Some solve the graphs that are prepared already, others prepare their own at each step.
  std::vector<std::string> wrong(threads);
  std::barrier together(static_cast<std::ptrdiff_t>(threads));
  std::vector<std::thread> all;
  for (std::size_t t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      wrong[t] = test::message_of([&] {
        const Space& space = spaces[t];
        SolveHandle<Space> own;
        auto prepared = prepare(space, batch);
        const Kokkos::View<double**, Memory> found("found", n, n);
        const Kokkos::View<PairResult*, Memory> results("results", n * (n + 1) / 2);
        together.arrive_and_wait();
        for (int step = 0; step < steps; ++step) {
          if (t > 0) prepared.assign(space, batch);
          solve(space, own, t == 0 ? shared : prepared, Symmetric(), kernel_of(q_of(t, step)), Outputs{found, results},
                options);
          require_converged(space, own, results);
          if (values_of(space, found) != expected[2 * t + std::size_t(step % 2)]) throw Error("other bits");
        }
      });
    });
  }
  for (std::thread& thread : all) thread.join();
  for (const std::string& message : wrong) CHECK(message == "(no error)");
}

#ifdef KOKKOS_ENABLE_CUDA
TEST_CASE("two devices of one process solve at once, with the same bits") {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 2) return test::skip("fewer than two devices here");
  const std::vector<Graph> graphs = test::large_graphs();
  const std::size_t n = graphs.size();
  const TypedKernel kernel{Expression::parse("delta(kind,0.5)"), Expression::parse("gaussian(length,0.3)"),
                           Stopping(StoppingMeaning::probability, 0.05)};
  std::vector<std::vector<double>> found(2 * std::size_t(steps));
  std::vector<std::string> wrong(2);
  const auto work = [&](int device) {
    REQUIRE(cudaSetDevice(device) == cudaSuccess);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);  // as a caller may have it
    wrong[std::size_t(device)] = test::message_of([&] {
      const Kokkos::Cuda space(stream);
      if (space.cuda_device() != device) throw Error("the instance is of another device");
      const auto batch = graph_batch<int, double>(space, graphs, {.vertex = "kind", .edge = "length"});
      auto prepared = prepare(space, batch);
      SolveHandle<Kokkos::Cuda> handle;
      const Kokkos::View<double**, Memory> values(Kokkos::view_alloc(space, "values"), n, n);
      const Kokkos::View<PairResult*, Memory> results(Kokkos::view_alloc(space, "results"), n * (n + 1) / 2);
      for (int step = 0; step < steps; ++step) {
        prepared.assign(space, batch);
        GraphSolveOptions options;
        if (step % 2 == 1) options.backend = GraphBackend::portable;
        solve(space, handle, prepared, Symmetric(), kernel, Outputs{values, results}, options);
        require_converged(space, handle, results);
        found[std::size_t(device * steps + step)] = values_of(space, values);
      }
    });
    cudaStreamDestroy(stream);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (const std::string& message : wrong) CHECK(message == "(no error)");
  for (std::size_t step = 0; step < std::size_t(steps); ++step) {
    CHECK(!found[step].empty());
    CHECK(found[step] == found[std::size_t(steps) + step]);
    CHECK(found[step] == found[step % 2]);
  }
}
#endif
