// SPDX-License-Identifier: BSD-3-Clause
// A program that has not initialised Kokkos: what needs it says so, and what does not runs.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <octile/gram.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

#include "common/message_of.hpp"

using namespace octile;

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
