// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/error.hpp>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/message_of.hpp"
#include "common/settings.hpp"

using namespace octile;
using namespace octile::test;

namespace {

std::unique_ptr<PairSolver> make(const std::vector<Graph>& graphs, const KernelSpec& spec, const std::string& lowering,
                                 const std::string& backend = "portable:openmp",
                                 const std::string& primitive = "auto") {
  return make_pair_solver(parse_backend(backend), graphs, spec, Precision::float64, {}, parse_primitive(primitive),
                          default_memory, parse_lowering(lowering));
}

KernelSpec spec_of(const std::string& vertex, const std::string& edge, double q = 0.05) {
  return {Expression::parse(vertex), Expression::parse(edge), {StoppingMeaning::probability, q}};
}

/// A graph of 96 vertices whose edges have real labels, as many as there are edges.
std::vector<Graph> many_labels() { return {random_graph(96, 0.15, 3), random_graph(96, 0.15, 4)}; }

bool tells(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("every lowering is found by its name, and no other") {
  for (const LoweringInfo& info : lowerings()) {
    CHECK(parse_lowering(info.name) == info.lowering);
    CHECK(lowering_name(info.lowering) == info.name);
  }
  CHECK(message_of([] { parse_lowering("fast"); }) ==
        "lowering 'fast' is unknown; allowed are auto, closed-form, factored, table, on-the-fly");
}

TEST_CASE("a solver tells its lowering, with rank, error and predicted cost") {
  const std::vector<Graph> graphs = many_labels();
  const std::string factored = make(graphs, spec_of("1", "gaussian(length, 0.3)"), "factored")->description();
  CHECK(tells(factored, "lowering factored, rank "));
  CHECK(tells(factored, "in the edge kernel and at most "));
  CHECK(tells(factored, "predicted "));
  CHECK(tells(make(graphs, spec_of("1", "1"), "closed-form")->description(), "lowering closed-form, exact"));
  CHECK(tells(make(graphs, spec_of("1", "delta(order, 0.3)"), "table")->description(), "lowering table"));
  CHECK(tells(make(graphs, spec_of("1", "gaussian(length, 0.3)"), "on-the-fly")->description(), "lowering on-the-fly"));
}

TEST_CASE("the cost model takes the closed form for constants, and factors where they are few") {
  const std::vector<Graph> graphs(40, many_labels()[0]);
  CHECK(tells(make(graphs, spec_of("1", "1"), "auto")->description(), "lowering closed-form"));
  CHECK(tells(make(graphs, spec_of("1", "gaussian(length, 0.3)"), "auto")->description(), "lowering factored"));
  CHECK(tells(make(graphs, spec_of("1", "wendland(length, 0.01)"), "auto")->description(), "lowering on-the-fly"));
  // Hardly any edges: walking them all costs less than preparing anything.
  const std::vector<Graph> thin{random_graph(40, 0.005, 1)};
  CHECK_FALSE(tells(make(thin, spec_of("1", "delta(order, 0.3)"), "auto")->description(), "lowering factored"));
}

TEST_CASE("a lowering that the kernel does not admit is refused with the reason") {
  const std::vector<Graph> graphs = many_labels();
  CHECK(message_of([&] { make(graphs, spec_of("delta(kind, 0.5)", "1"), "closed-form"); }) ==
        "lowering 'closed-form': it needs constant kernels, and these are 'delta(kind, 0.5)' and '1'; allowed is "
        "another one, or auto");
  CHECK(tells(message_of([&] { make(graphs, spec_of("1", "1"), "table"); }), "the edge kernel is constant"));
  CHECK(tells(message_of([&] { make(graphs, spec_of("1", "gaussian(length, 1)"), "table"); }),
              "distinct edge labels, and tables are made for 1 to 512"));
  CHECK(tells(message_of([&] { make(graphs, spec_of("1", "wendland(length, 0.001)"), "factored"); }),
              "takes more than 512 factors"));
}

TEST_CASE("a backend or a primitive that a lowering does not go with is told of") {
  const std::vector<Graph> graphs = many_labels();
  const KernelSpec spec = spec_of("1", "1");
  for (const char* backend : {"reference", "assembled"}) {
    CHECK(tells(message_of([&] { make(graphs, spec, "factored", backend); }), "has no lowering 'factored'"));
    CHECK_NOTHROW(make(graphs, spec, "auto", backend));
  }
  CHECK(tells(message_of([&] { make(graphs, spec, "factored", "portable:serial", "rows"); }),
              "does not go with primitive 'rows'"));
  CHECK(tells(message_of([&] { make(graphs, spec, "on-the-fly", "portable:serial", "shared-tiling"); }),
              "does not go with primitive 'shared-tiling:8,8'"));
  CHECK_NOTHROW(make(graphs, spec_of("1", "delta(order, 0.3)"), "table", "portable:serial", "rows"));
}

TEST_CASE("a primitive that is asked for is what multiplies") {
  const std::vector<Graph> graphs(40, many_labels()[0]);
  CHECK(tells(make(graphs, spec_of("1", "1"), "auto", "portable:serial", "rows")->description(), "primitive rows"));
}

TEST_CASE("the closed form of small and disconnected graphs agrees with the reference, node-wise too") {
  const std::vector<Graph> graphs = small_graphs();
  std::vector<double> expected;
  std::vector<double> x;
  for (const Stopping& stopping : stoppings()) {
    for (const char* constants : {"1", "0.75"}) {
      const KernelSpec spec{Expression::parse(constants), Expression::parse(constants), stopping};
      const auto judge = make_pair_solver(BackendId::reference, graphs, spec, Precision::float64, {});
      const auto solver = make(graphs, spec, "closed-form");
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(graphs.size()); ++i) {
        const Pair pair{i, static_cast<std::int32_t>(graphs.size()) - 1 - i};
        CAPTURE(stopping.to_string());
        CAPTURE(graphs[static_cast<std::size_t>(pair.first)].name());
        CAPTURE(graphs[static_cast<std::size_t>(pair.second)].name());
        const PairResult judged = judge->solve_nodewise(pair, expected);
        const PairResult result = solver->solve_nodewise(pair, x);
        CHECK(result.status == Status::converged);
        CHECK(result.iterations == 0);
        CHECK(relative_error(result.value, judged.value) <= tolerance::exact);
        CHECK(relative_error(x, expected) <= tolerance::exact);
      }
    }
  }
}

TEST_CASE("the closed form is in double whatever the precision, so that nearly equal graphs can be told apart") {
  std::vector<Edge> edges = cycle_edges(30);
  std::vector<Graph> graphs{bare("cycle", 30, edges)};
  edges[7].weight = 1 + 1e-6;
  graphs.push_back(bare("nearly", 30, edges));
  GramOptions options;
  options.backend = BackendId::portable_openmp;
  options.precision = Precision::float32;
  options.solve.tolerance = 1e-6;
  options.lowering = Lowering::closed_form;
  options.normalize = true;
  const KernelSpec spec{Expression::parse("1"), Expression::parse("1"), {StoppingMeaning::weight, 0.05}};
  const double similarity = gram(graphs, spec, options).values[1];
  options.backend = BackendId::reference;
  options.precision = Precision::float64;
  options.lowering = Lowering::automatic;
  const double judged = gram(graphs, spec, options).values[1];
  CHECK(std::abs(similarity - judged) <= tolerance::sums);
}
