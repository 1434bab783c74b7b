// SPDX-License-Identifier: BSD-3-Clause
// A program that has not initialised Kokkos: what needs it says so, and what does not runs.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <octile/base/own_threads.hpp>
#include <octile/base/parallel.hpp>
#include <octile/error.hpp>
#include <octile/gram.hpp>
#include <octile/graphs_in_views.hpp>
#include <octile/interruption.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/message_of.hpp"

using namespace octile;

namespace {

/// The threads that take part in work of three parts, each of which waits for `together` to have begun.
std::set<std::thread::id> threads_of_three_parts(std::size_t together) {
  std::set<std::thread::id> seen;
  std::size_t begun = 0;
  std::mutex mutex;
  std::condition_variable changed;
  in_parallel(3, 1, [&](std::size_t, std::size_t) {
    std::unique_lock lock(mutex);
    seen.insert(std::this_thread::get_id());
    ++begun;
    changed.notify_all();
    changed.wait(lock, [&] { return begun >= together; });
  });
  CHECK(begun == 3);
  return seen;
}

}  // namespace

TEST_CASE("parallel work has threads of its own where Kokkos is not initialised, as long as they are asked for") {
  CHECK(threads_of_three_parts(1) == std::set{std::this_thread::get_id()});
  {
    const OwnThreads threads(3);
    CHECK(threads_of_three_parts(3).size() == 3);
    std::vector<int> visits(1000, 0);
    in_parallel(visits.size(), 7, [&](std::size_t begin, std::size_t end) {
      in_parallel(end - begin, 2, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = begin + from; k < begin + to; ++k) ++visits[k];
      });
    });
    CHECK(std::ranges::count(visits, 1) == 1000);
    const auto fail = [](std::size_t begin, std::size_t) {
      if (begin >= 30) throw Error(std::to_string(begin));
    };
    for (int run = 0; run < 20; ++run) CHECK(test::message_of([&] { in_parallel(1000, 10, fail); }) == "30");
  }
  CHECK(threads_of_three_parts(1) == std::set{std::this_thread::get_id()});
}

TEST_CASE("parallel work in threads of its own ends where its caller is asked to stop") {
  const OwnThreads threads(2);
  const std::function<bool()> stop = [] { return false; };
  const InterruptionScope interruption(stop);
  CHECK_THROWS_AS(in_parallel(1000000, 1, [](std::size_t, std::size_t) { std::this_thread::yield(); }), Interrupted);
}

TEST_CASE("a backend on Kokkos says in a line that Kokkos is not initialised") {
  const std::vector<Graph> graphs{Graph::from_edges("edge", 2, {{0, 1, 1.0}})};
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("1"), {StoppingMeaning::weight, 0.5}};
  GramOptions options;
  options.backend = BackendId::portable_serial;
  const std::string expected =
      "backend 'portable:serial' needs Kokkos, which is not initialised; allowed is a Kokkos::ScopeGuard that outlives "
      "the solves";
  CHECK(test::message_of([&] { gram(graphs, kernel, options); }) == expected);
  options.accuracy = Accuracy{};
  CHECK(test::message_of([&] { gram(graphs, kernel, options); }) == expected);
  CHECK(test::message_of([&] { nodewise(graphs[0], graphs[0], kernel, options); }) == expected);
}

#ifdef KOKKOS_ENABLE_SERIAL
TEST_CASE("graphs in Views say in a line that Kokkos is not initialised") {
  const Kokkos::Serial space;
  using Prepared = PreparedGraphs<double, NoLabel, NoLabel, Kokkos::HostSpace>;
  CHECK(test::message_of([&] {
          Prepared(space, {1, 2, 2, 2});
        }) ==
        "preparing graphs needs Kokkos, which is not initialised; allowed is a Kokkos::ScopeGuard that outlives it");
  const std::vector<Graph> graphs{Graph::from_edges("edge", 2, {{0, 1, 1.0}})};
  CHECK(test::message_of([&] { (void)graph_batch(space, graphs); }) ==
        "graph_batch needs Kokkos, which is not initialised; allowed is a Kokkos::ScopeGuard that outlives it");
  CHECK(test::message_of([&] {
          (void)starting_probabilities(space, graphs);
        }).starts_with("starting_probabilities needs Kokkos"));
}
#endif

TEST_CASE("the reference runs without Kokkos") {
  const std::vector<Graph> graphs{Graph::from_edges("edge", 2, {{0, 1, 1.0}})};
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("1"), {StoppingMeaning::weight, 0.5}};
  GramOptions options;
  options.backend = BackendId::reference;
  // Both vertices of both graphs have equal labels and degrees: x (d² − 1) = q² d² with d = 1.5.
  CHECK(gram(graphs, kernel, options).values[0] == doctest::Approx(0.25 * 2.25 / 1.25));
}
