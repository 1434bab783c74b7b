// SPDX-License-Identifier: BSD-3-Clause
// Certificates over random graphs, weights of many decades, isolated vertices, kernels, q and starting weights. RapidCheck draws
// them. It prints its seed first; RC_PARAMS="seed=…" draws the same again.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <octile/backends.hpp>
#include <octile/gram.hpp>
#include <octile/prepared_set.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/tolerances.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// A random graph whose weights are of up to twelve decades, with starting weights of which some may be 0.
Graph drawn_graph() {
  const auto n = *rc::gen::inRange<std::int32_t>(1, 11);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::vector<Edge> edges = random_edges(n, *rc::gen::inRange(0, 101) / 100.0, seed);
  const double decades = *rc::gen::element(0.0, 2.0, 6.0, 12.0);
  const double scale = *rc::gen::element(1e-12, 1e-3, 1.0, 1e6);
  Random random(seed);
  for (Edge& edge : edges) edge.weight = scale * std::pow(10.0, -decades * random.uniform());
  Graph graph = labelled("drawn " + std::to_string(seed), n, std::move(edges), seed);
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<double> starting(static_cast<std::size_t>(n));
    for (double& weight : starting) weight = random.below(3) == 0 ? 0.0 : random.uniform();
    starting[0] += 0.1;
    graph.set_starting_weights(std::move(starting));
  }
  return graph;
}

KernelSpec drawn_spec() {
  const bool weight = *rc::gen::arbitrary<bool>();
  const double q = *rc::gen::element(0.9, 0.5, 0.05, 0.0005, 1e-4);
  KernelSpec spec =
      (*rc::gen::elementOf(kernel_cases())).spec({weight ? StoppingMeaning::weight : StoppingMeaning::probability, q});
  spec.shortest_walk = *rc::gen::inRange(0, 2);
  return spec;
}

GramOptions drawn_options(BackendId backend) {
  GramOptions options;
  options.backend = backend;
  options.accuracy = Accuracy{Accuracy::Kind::certified, *rc::gen::element(1e-3, 1e-6, 1e-9)};
  return options;
}

/// What is certain about a value holds, as far as `expected` is known.
void assert_certain(double value, double bound, double expected, double known) {
  if (!std::isfinite(bound) || !std::isfinite(known)) return;
  RC_ASSERT(std::abs(value - expected) <= (bound + known + tolerance::roundings) * std::abs(expected));
}

/// How many times as large as the error a bound is, for finite bounds and errors that stand out from the reference's
/// own.
class Ratios {
 public:
  void add(double value, double bound, double expected, double known) {
    const double error = std::abs(value - expected) / expected;
    if (std::isfinite(bound) && error > 10 * (known + tolerance::roundings)) ratios_.push_back(bound / error);
  }
  void print(BackendId backend) {
    if (ratios_.empty()) return;
    std::ranges::sort(ratios_);
    MESSAGE(backend_name(backend), ": ", ratios_.size(), " bounds, of the error the tightest ", ratios_.front(),
            ", the median ", ratios_[ratios_.size() / 2], " times");
  }

 private:
  std::vector<double> ratios_;
};

}  // namespace

TEST_CASE("no certified value is further from the reference than both say") {
  for (const Backend& of_list : backends()) {
    if (!of_list.available || of_list.exact) continue;
    Ratios ratios;
    CHECK(rc::check("|K - exact| <= bound", [&of_list, &ratios] {
      const std::vector<Graph> graphs{drawn_graph(), drawn_graph()};
      const KernelSpec spec = drawn_spec();
      const GramOptions options = drawn_options(of_list.id);
      GramOptions exact = options;
      exact.backend = BackendId::reference;
      exact.accuracy->value = Accuracy::least;
      const bool normalize = *rc::gen::arbitrary<bool>();
      GramOptions drawn = options;
      drawn.order = *rc::gen::element(reorder::OrderId::natural, reorder::OrderId::rcm, reorder::OrderId::pbr);
      if (of_list.has(Lowering::on_the_fly))
        drawn.lowering = *rc::gen::element(Lowering::automatic, Lowering::on_the_fly);
      if (of_list.single_precision) drawn.precision = *rc::gen::element(Precision::float32, Precision::float64);
      const SetAnswer found = PreparedSet(graphs, drawn).solve(spec, {.normalize = normalize});
      const SetAnswer expected = PreparedSet(graphs, exact).solve(spec, {.normalize = normalize});
      for (std::size_t k = 0; k < found.values.size(); ++k) {
        assert_certain(found.values[k], found.error_bounds[k], expected.values[k], expected.error_bounds[k]);
        ratios.add(found.values[k], found.error_bounds[k], expected.values[k], expected.error_bounds[k]);
        if (found.results[k].status == Status::converged) {
          RC_ASSERT(found.results[k].error_bound <= options.accuracy->value);
        }
      }
    }));
    ratios.print(of_list.id);
  }
}

TEST_CASE("weights times 1e-15 to 1e15 change a certified value by what is certain, where q is a probability") {
  CHECK(rc::check("K(c G, G') = K(G, G')", [] {
    const Graph first = drawn_graph();
    const Graph second = drawn_graph();
    KernelSpec spec = drawn_spec();
    spec.stopping = {StoppingMeaning::probability, spec.stopping.q()};
    const GramOptions options = drawn_options(BackendId::portable);
    const double factor = std::pow(10.0, *rc::gen::inRange(-15, 16));
    const SetAnswer before = PreparedSet(std::vector<Graph>{first, second}, options).solve(spec, {});
    const SetAnswer after = PreparedSet(std::vector<Graph>{first.scaled(factor), second}, options).solve(spec, {});
    for (std::size_t k = 0; k < before.values.size(); ++k) {
      assert_certain(after.values[k], after.error_bounds[k], before.values[k], before.error_bounds[k]);
    }
  }));
}

TEST_CASE("another numbering of a graph's vertices changes a certified value by what is certain") {
  for (const Backend& backend : backends()) {
    if (!backend.available || backend.exact) continue;
    CHECK(rc::check("K(P G, G') = K(G, G')", [&backend] {
      const Graph first = drawn_graph();
      const Graph second = drawn_graph();
      const KernelSpec spec = drawn_spec();
      const GramOptions options = drawn_options(backend.id);
      const auto n = static_cast<std::size_t>(first.vertex_count());
      std::vector<std::int32_t> order(n);
      for (std::size_t k = 0; k < n; ++k) order[k] = static_cast<std::int32_t>(k);
      Random random(*rc::gen::arbitrary<std::uint32_t>());
      for (std::size_t k = n; k > 1; --k)
        std::swap(order[k - 1], order[static_cast<std::size_t>(random.below(static_cast<int>(k)))]);
      const SetAnswer before = PreparedSet(std::vector<Graph>{first, second}, options).solve(spec, {});
      const SetAnswer after = PreparedSet(std::vector<Graph>{first.reordered(order), second}, options).solve(spec, {});
      for (std::size_t k = 0; k < before.values.size(); ++k) {
        assert_certain(after.values[k], after.error_bounds[k], before.values[k], before.error_bounds[k]);
      }
    }));
  }
}
