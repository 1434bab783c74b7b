// SPDX-License-Identifier: BSD-3-Clause
// Families of hard graphs in Views, judged in extended precision: what a residual in double is said to prove is so.
#include <octile/graphs_in_views.hpp>
#include <octile/solve_graphs.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "common/graphs.hpp"
#include "common/sanitized.hpp"
#include "common/tolerances.hpp"
#include "hard/families.hpp"
#include "hard/judged.hpp"

namespace test_families_in_views {

struct Atom {
  int element;
  int kind;
};
struct Bond {
  int order;
  double length;
};

}  // namespace test_families_in_views

template <>
struct octile::LabelAttributes<test_families_in_views::Atom> {
  static constexpr std::tuple list{Attribute{"element", &test_families_in_views::Atom::element},
                                   Attribute{"kind", &test_families_in_views::Atom::kind}};
};
template <>
struct octile::LabelAttributes<test_families_in_views::Bond> {
  static constexpr std::tuple list{Attribute{"order", &test_families_in_views::Bond::order},
                                   Attribute{"length", &test_families_in_views::Bond::length}};
};

namespace test_families_in_views {

using namespace octile;
using namespace octile::test;

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

const LabelNames names{.numbers = {{"C", 6}, {"N", 7}, {"O", 8}}};

/// What is counted of bounds, and how far true errors are below them.
struct Proofs {
  int pairs = 0;
  int converged = 0;
  int bounded = 0;
  double largest = 0;          ///< bound
  std::vector<double> ratios;  ///< of error and bound

  void add(const Proofs& other) {
    pairs += other.pairs;
    converged += other.converged;
    bounded += other.bounded;
    largest = std::max(largest, other.largest);
    ratios.insert(ratios.end(), other.ratios.begin(), other.ratios.end());
  }
};

/// A value that is normalised, and what is not known of it.
ExtendedValue normalised_of(const Family& family, std::size_t k) {
  const auto value_of = [&family](Pair wanted) {
    const auto at = std::ranges::find_if(
        family.pairs, [&](Pair pair) { return pair.first == wanted.first && pair.second == wanted.second; });
    return family.expected[static_cast<std::size_t>(at - family.pairs.begin())];
  };
  const Pair pair = family.pairs[k];
  const ExtendedValue first = value_of({pair.first, pair.first});
  const ExtendedValue second = value_of({pair.second, pair.second});
  const ExtendedValue& both = family.expected[k];
  return {both.value / (std::sqrt(first.value) * std::sqrt(second.value)),
          both.known + first.known + second.known + 1e-18L};
}

/// Solves all pairs of a family, i ≤ j, in double and holds them against their bounds.
Proofs judge(const Family& family, const GraphSolveOptions& options) {
  const Space space;
  const auto prepared = prepare(space, graph_batch<Atom, Bond>(space, family.graphs, names));
  require_valid(space, prepared);
  const KernelSpec spec = family.spec();
  const std::size_t n = family.graphs.size();
  REQUIRE(family.pairs.size() == n * (n + 1) / 2);
  const Kokkos::View<double**, Memory> values("values", n, n);
  const Kokkos::View<PairResult*, Memory> results("results", family.pairs.size());
  SolveHandle<Space> handle;
  solve(space, handle, prepared, Symmetric(), TypedKernel{spec.vertex, spec.edge, spec.stopping},
        Outputs{values, results}, options);
  const auto found = detail::to_host(space, "results", results);
  Proofs proofs;
  for (std::size_t k = 0; k < family.pairs.size(); ++k) {
    CAPTURE(family.name);
    CAPTURE(family.graphs[static_cast<std::size_t>(family.pairs[k].first)].name());
    CAPTURE(family.graphs[static_cast<std::size_t>(family.pairs[k].second)].name());
    CAPTURE(options.solve.tolerance);
    CAPTURE(static_cast<int>(options.lowering));
    CAPTURE(static_cast<int>(options.backend));
    const ExtendedValue expected = options.normalize == Normalize::yes ? normalised_of(family, k) : family.expected[k];
    CAPTURE(found(k).value);
    CAPTURE(static_cast<double>(expected.value));
    CAPTURE(found(k).residual);
    const double error = error_of(found(k).value, expected);
    const bool converged = found(k).status == Status::converged;
    const double bound = found(k).error_bound;
    ++proofs.pairs;
    if (converged) ++proofs.converged;
    if (converged && options.solve.tolerance <= 1e-8) CHECK(error <= tolerance::hard);
    if (!std::isfinite(bound)) continue;
    CHECK((converged || bound == 0));  // a graph with itself, normalised, is 1 in any case
    CHECK(error <= bound);
    ++proofs.bounded;
    proofs.largest = std::max(proofs.largest, bound);
    if (bound > 0) proofs.ratios.push_back(error / bound);
  }
  return proofs;
}

/// By all roads, to these tolerances.
Proofs judge_all(const std::vector<Family>& families, const std::vector<double>& tolerances) {
  Proofs all;
  for (const Family& family : families) {
    for (const double tolerance : tolerances) {
      for (const Lowering lowering : {Lowering::automatic, Lowering::on_the_fly}) {
        for (const Normalize normalize : {Normalize::no, Normalize::yes}) {
          GraphSolveOptions options;
          options.solve.tolerance = tolerance;
          options.lowering = lowering;
          options.normalize = normalize;
          all.add(judge(family, options));
#ifdef KOKKOS_ENABLE_CUDA
          options.backend = GraphBackend::portable;
          all.add(judge(family, options));
#endif
        }
      }
    }
  }
  std::ranges::sort(all.ratios);
  REQUIRE(!all.ratios.empty());
  MESSAGE(all.bounded, " of ", all.pairs, " bounded, ", all.converged, " converged; error / bound at most ",
          all.ratios.back(), ", median ", all.ratios[all.ratios.size() / 2]);
  return all;
}

std::vector<double> tolerances() { return sanitized ? std::vector{1e-8} : std::vector{1e-4, 1e-8, 1e-12}; }

}  // namespace test_families_in_views

using namespace test_families_in_views;

TEST_CASE("hard families in Views are within what their residuals prove") { judge_all(hard_families(), tolerances()); }

TEST_CASE("usual graphs in Views have a proof with every value, near what was asked for") {
  const std::vector<Graph> graphs{random_graph(7, 0.5, 1), random_graph(12, 0.4, 2), random_graph(24, 0.2, 3),
                                  nearly_disconnected(1e-2, 6), labelled("path", 16, path_edges(16), 4)};
  std::vector<Family> families;
  for (const HardKernel& kernel : {constant_kernel(), delta_kernel(), gaussian_kernel(), wendland_kernel()}) {
    for (const double q : {0.3, 0.05}) {
      for (const StoppingMeaning meaning : {StoppingMeaning::probability, StoppingMeaning::weight}) {
        const Stopping stopping(meaning, q);
        families.push_back(family_of(kernel.edge + " | " + stopping.to_string(), graphs, kernel, stopping));
      }
    }
  }
  const Proofs to_1e8 = judge_all(families, {1e-8});
  CHECK(to_1e8.bounded == to_1e8.pairs);
  CHECK(to_1e8.largest <= 1e-6);
  CHECK(judge_all(families, {1e-4}).largest <= 1e-2);
}

TEST_CASE("long walks and kernels that are nearly 0 are within what their residuals prove, or nothing is said") {
  const std::vector<Graph> graphs{random_graph(17, 0.3, 4), nearly_disconnected(1e-4, 6), random_graph(12, 0.5, 5)};
  std::vector<Family> families;
  for (const double q : {1e-3, 1e-4, 5e-6, 1e-8}) {
    families.push_back(family_of("long walks", graphs, constant_kernel(), {StoppingMeaning::probability, q}));
    families.push_back(family_of("long walks", graphs, constant_kernel(), {StoppingMeaning::weight, q}));
    families.push_back(family_of("long walks", graphs, delta_kernel(), {StoppingMeaning::probability, q}));
  }
  for (const double h : {1e-20, 1e-100}) {
    const HardKernel kernel{fmt::format("delta(element,{})", h), "1", extended::delta_of_element(h),
                            extended::constant(1)};
    families.push_back(family_of(fmt::format("h = {}", h), graphs, kernel, {StoppingMeaning::probability, 0.05}));
  }
  for (const double scale : {1e-150, 1e-11, 1e11, 1e150}) {
    const std::vector<Graph> scaled{graphs[0].scaled(scale), graphs[1].scaled(scale), graphs[2].scaled(1 / scale)};
    families.push_back(
        family_of(fmt::format("scale {}", scale), scaled, delta_kernel(), {StoppingMeaning::probability, 0.05}));
  }
  judge_all(families, tolerances());
}

TEST_CASE("in float a residual proves nothing") {
  const Space space;
  const std::vector<Graph> graphs{random_graph(7, 0.5, 1), random_graph(12, 0.4, 2)};
  const auto prepared = prepare<float>(space, graph_batch<Atom, Bond>(space, graphs, names));
  SolveHandle<Space, float> handle;
  const Kokkos::View<PairResult*, Memory> results("results", 3);
  const Family family = family_of("float", graphs, delta_kernel(), {StoppingMeaning::probability, 0.05});
  const KernelSpec spec = family.spec();
  solve(space, handle, prepared, Symmetric(), TypedKernel{spec.vertex, spec.edge, spec.stopping},
        Outputs{NotGiven(), results});
  require_converged(space, handle, results);
  const auto found = detail::to_host(space, "results", results);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(std::isinf(found(k).error_bound));
    CHECK(error_of(found(k).value, family.expected[k]) <= found(k).residual + 1e-6);
  }
}
