// SPDX-License-Identifier: BSD-3-Clause
// Families of hard graphs, judged in extended precision: on every backend, in every precision and by every lowering a value is
// right where it is called converged, within its bound where it has one, or has another status.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>

#include "common/graphs.hpp"
#include "common/sanitized.hpp"
#include "common/settings.hpp"
#include "hard/extended.hpp"
#include "hard/families.hpp"
#include "hard/judged.hpp"

using namespace octile;
using namespace octile::test;

namespace {

std::vector<Setting> settings(bool primitives) {
  std::vector<Setting> all = judged_settings();
  if (sanitized) return all;
  const std::vector<Setting> by_lowering = lowering_settings();
  all.insert(all.end(), by_lowering.begin(), by_lowering.end());
  if (!primitives) return all;
  const std::vector<Setting> by_primitive = primitive_settings();
  all.insert(all.end(), by_primitive.begin(), by_primitive.end());
  return all;
}

bool admits(const Setting& setting, const Family& family) {
  const auto constant = [](const std::string& text) {
    return Expression::parse(text).root().kind == Expression::Kind::constant;
  };
  const bool all_constant = constant(family.kernel.vertex) && constant(family.kernel.edge);
  if (setting.lowering == Lowering::closed_form) return all_constant;
  return setting.lowering != Lowering::table || !constant(family.kernel.edge);
}

/// How many pairs were called converged, of how many.
struct Tally {
  int cases = 0;
  int converged = 0;
};

Tally judge(const Family& family, const Setting& setting) {
  SolveOptions options;
  if (setting.precision == Precision::float32) options.tolerance = 1e-6;
  std::vector<PairResult> found(family.pairs.size());
  const KernelSpec spec = family.spec();
  Tally tally;
  try {
    make_pair_solver(setting.backend, family.graphs, spec, setting.precision, options, setting.primitive,
                     default_memory, setting.lowering)
        ->solve(family.pairs, found);
  } catch (const Error&) {
    return tally;  // refused: factors that do not suffice at this q, a product matrix that is too large
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    CAPTURE(setting.name());
    CAPTURE(family.name);
    CAPTURE(family.graphs[static_cast<std::size_t>(family.pairs[k].first)].name());
    CAPTURE(family.graphs[static_cast<std::size_t>(family.pairs[k].second)].name());
    CAPTURE(status_name(found[k].status));
    CAPTURE(found[k].value);
    CAPTURE(static_cast<double>(family.expected[k].value));
    CAPTURE(found[k].residual);
    CAPTURE(found[k].error_bound);
    const double error = error_of(found[k].value, family.expected[k]);
    ++tally.cases;
    if (found[k].status == Status::converged) {
      ++tally.converged;
      CHECK(error <= tolerance::hard);
    }
    if (std::isfinite(found[k].error_bound)) {
      CHECK(found[k].status != Status::breakdown);
      CHECK(error <= found[k].error_bound);
    }
  }
  return tally;
}

void judge_all(const std::vector<Family>& families, bool primitives) {
  for (const Setting& setting : settings(primitives)) {
    Tally all;
    for (const Family& family : families) {
      if (!admits(setting, family)) continue;
      const Tally tally = judge(family, setting);
      all.cases += tally.cases;
      all.converged += tally.converged;
    }
    MESSAGE(setting.name(), ": ", all.converged, " of ", all.cases, " converged");
  }
}

}  // namespace

TEST_CASE("hard families: isolated, light, nearly disconnected, twelve orders") { judge_all(hard_families(), false); }

TEST_CASE("graphs of any scale: weights of 1e-300 to 1e300, alone or with their q, are right or a breakdown") {
  std::vector<Family> families;
  const std::vector<Graph> graphs{random_graph(7, 0.5, 1), with_isolated(1, 2), random_graph(9, 0.4, 3)};
  for (const double scale : {1e-300, 1e-150, 1e-40, 1e-11, 1e11, 1e40, 1e150, 1e300}) {
    const std::vector<Graph> scaled{graphs[0].scaled(scale), graphs[1].scaled(scale), graphs[2].scaled(0.5 / scale)};
    std::vector<Stopping> rules = stoppings();
    if (scale > 1e-59 && scale < 1e59) rules.emplace_back(StoppingMeaning::weight, 0.05 * scale);
    for (const Stopping& stopping : rules) {
      families.push_back(
          family_of(fmt::format("scale {}, {}", scale, stopping.to_string()), scaled, delta_kernel(), stopping));
    }
  }
  judge_all(families, false);
}

TEST_CASE("vertices whose weights are below the numbers of float32 beside others are not taken for isolated") {
  const std::vector<Graph> graphs{light_and_heavy(1e-36, 0, 1), light_and_heavy(1e-44, 1, 2),
                                  light_and_heavy(1e-60, 0, 3), light_and_heavy(1e-150, 0, 4),
                                  nearly_disconnected(1e-50, 5)};
  std::vector<Family> families;
  for (const Stopping& stopping : stoppings()) {
    families.push_back(family_of("light as nothing, " + stopping.to_string(), graphs, delta_kernel(), stopping));
  }
  judge_all(families, false);
}

TEST_CASE("graphs whose weights and q are light are solved in float32 on the host, not given up") {
  const std::vector<Graph> graphs{random_graph(7, 0.5, 1).scaled(1e-11), random_graph(9, 0.4, 3).scaled(1e-11)};
  const Family family = family_of("weights of 1e-11", graphs, delta_kernel(), {StoppingMeaning::weight, 5e-13});
  for (const Setting& setting : judged_settings()) {
    if (find_backend(setting.backend).on_gpu) continue;
    CAPTURE(setting.name());
    CHECK(judge(family, setting).converged == 3);
  }
}

TEST_CASE("kernels that are nearly 0 and long decays are right or a breakdown") {
  std::vector<Family> families;
  for (const long double h : {1e-20L, 1e-45L, 1e-150L, 1e-200L}) {
    const auto small = static_cast<double>(h);
    const HardKernel kernel{fmt::format("delta(element,{})", small), "1", extended::delta_of_element(small),
                            extended::constant(1)};
    for (const Stopping& stopping : stoppings()) {
      families.push_back(family_of(fmt::format("h = {}, {}", small, stopping.to_string()),
                                   {random_graph(7, 0.5, 1), random_graph(5, 0.6, 2)}, kernel, stopping));
    }
  }
  for (const Stopping& stopping : stoppings()) {
    families.push_back(family_of(fmt::format("decay 32, {}", stopping.to_string()),
                                 {dimer(3.99 / 4, 32), dimer(0.5, 32), dimer(3.9999 / 4, 64)}, gaussian_kernel(),
                                 stopping));
  }
  judge_all(families, false);
}

TEST_CASE("long walks: the bound of the closed form is that of extended precision") {
  std::vector<Family> families;
  const std::vector<Graph> graphs{random_graph(17, 0.3, 4), nearly_disconnected(1e-4, 6), random_graph(12, 0.5, 5)};
  for (const double q : {0.3, 1e-3, 5e-6, 1e-8}) {
    families.push_back(family_of("long walks", graphs, constant_kernel(), {StoppingMeaning::probability, q}));
    families.push_back(family_of("long walks", graphs, constant_kernel(), {StoppingMeaning::weight, q}));
  }
  judge_all(families, false);
}

TEST_CASE("labels far from zero are subtracted before they are rounded") {
  std::vector<Family> families;
  for (const double offset : {0.0, 1e4, 1e6, 1e8}) {
    for (const HardKernel& kernel : {gaussian_kernel(), wendland_kernel()}) {
      families.push_back(family_of(fmt::format("{} and labels at {}", kernel.edge, offset), far_labels(offset), kernel,
                                   {StoppingMeaning::probability, 0.05}, {{0, 1}, {2, 2}, {3, 4}}));
    }
  }
  judge_all(families, true);
}

TEST_CASE("rows of thousands of like terms: complete graphs and stars") {
  const Graph star = of_one_order("star of 70 leaves", 71, star_edges(71));
  const HardKernel kernel{"1", "delta(order,0.9)", extended::constant(1), extended::delta_of_order(0.9)};
  std::vector<Family> families;
  for (const Stopping& stopping :
       {Stopping(StoppingMeaning::weight, 100), Stopping(StoppingMeaning::probability, 0.05)}) {
    families.push_back(family_of("star " + stopping.to_string(), {star}, kernel, stopping));
  }
  judge_all(families, !sanitized);
  // All vertices of a complete graph are alike: x is q² d² / (d² − 119²) in each. A product has 2e8 terms.
  if (sanitized) return;
  const Graph complete = of_one_order("complete 120", 120, complete_edges(120));
  const long double q = 100;
  const long double d = 119 + q;
  const Family crowd{"complete", {complete},
                     kernel,     {StoppingMeaning::weight, 100},
                     {{0, 0}},   {{q * q * d * d / (d * d - 119 * 119), 1e-17L}}};
  for (const PrimitiveFamily primitive : {PrimitiveFamily::adaptive, PrimitiveFamily::rows}) {
    judge(crowd, {BackendId::portable, Precision::float32, {primitive}});
  }
}

TEST_CASE("what is certified is within its bound, or not certified") {
  const std::vector<Graph> graphs{with_isolated(1e-9, 2), light_and_heavy(1e-5, 1, 4), of_twelve_orders(8, 1, 8),
                                  random_graph(7, 0.5, 1).scaled(1e-150), random_graph(7, 0.5, 1).scaled(1e150)};
  // Not the constant kernel: with a q of 1e-151 of the weights S is singular to every rounding.
  for (const HardKernel& kernel : {delta_kernel(), gaussian_kernel()}) {
    for (const Stopping& stopping : stoppings()) {
      const Family family = family_of(kernel.edge + " " + stopping.to_string(), graphs, kernel, stopping);
      const KernelSpec spec = family.spec();
      for (const Backend& backend : backends()) {
        if (!backend.available || backend.exact) continue;
        const std::vector<PairResult> found = certified_results(backend, family.graphs, spec, family.pairs);
        for (std::size_t k = 0; k < found.size(); ++k) {
          CAPTURE(pair_name(backend, family.name, family.pairs[k]));
          CAPTURE(found[k].value);
          CAPTURE(static_cast<double>(family.expected[k].value));
          if (std::isfinite(found[k].error_bound)) {
            CHECK(error_of(found[k].value, family.expected[k]) <= found[k].error_bound);
          }
          if (found[k].status == Status::converged) CHECK(found[k].error_bound <= 1e-6);
        }
      }
    }
  }
}
