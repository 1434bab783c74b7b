// SPDX-License-Identifier: BSD-3-Clause
#include <octile/plan/lowering_plan.hpp>

#include <octile/error.hpp>
#include <octile/pairs/amplification.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/pairs/spectrum.hpp>
#include <octile/plan/costs.hpp>
#include <octile/plan/pairwise.hpp>
#include <octile/plan/pairwise_memory.hpp>
#include <octile/plan/report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace octile::plan {
namespace {

/// The share of the tolerance for the factors' error; CG gets the rest.
constexpr double factored_share = 0.5;

/// An automatic choice takes sparse factors only if T of a pair, which has a row a label, takes at most 1/64 of the memory.
constexpr std::size_t sparse_share = 64;

/// Makes the plan: tries one lowering after another, and keeps what it computes for them.
class Planner {
 public:
  Planner(const SolverSetup& setup, AutomaticChoice choice, const LoweringPrices& prices)
      : setup_(setup),
        choice_(choice),
        plan_{Lowering::on_the_fly, LoweredSet(setup), {}, {}, 0, {}},
        own_cost_(setup.cost == nullptr ? std::optional(CostModel(setup.graphs)) : std::nullopt),
        cost_(setup.cost == nullptr ? *own_cost_ : *setup.cost),
        costs_(cost_, prices),
        amplification_(setup.graphs, setup.kernel) {
    // A GPU evaluates an exponential in less time than it reads a table, whatever the table's size.
    const bool asked = setup.lowering != Lowering::automatic;
    if (!asked && choice == AutomaticChoice::native && edge().square_exponential()) plan_.lowered.edge.table.clear();
  }

  LoweringPlan forced() {
    switch (setup_.lowering) {
      case Lowering::closed_form: take_closed_form(); break;
      case Lowering::factored: take_forced_factors(); break;
      case Lowering::table: take_table(); break;
      default: take_on_the_fly();
    }
    return std::move(plan_);
  }

  /// The automatic plan: compares the closed form with iterations, then factors with elements, for the set and by pair.
  LoweringPlan cheapest() {
    const double elements = costs_.by_element(edge());
    if (closed_form_available() && costs_.closed_form() < fewest_iterations * elements) {
      take_closed_form();
      return std::move(plan_);
    }
    const PairwiseLowering pairwise(cost_, costs_, edge());
    const std::size_t most = std::max({costs_.largest_rank(elements), pairwise.largest_rank(), std::size_t(1)});
    std::optional<Factors> factors = admissible_factors(most);
    if (!factors) return by_element();
    const PairwiseTotals totals = pairwise.totals(factors->terms, factors->sparse());
    if (totals.by_pair_pays() && both_available(*factors)) {
      take_by_pair(pairwise, totals, std::move(*factors));
    } else if (totals.factored < totals.by_element) {
      take_factored(std::move(*factors));
    } else {
      take_by_element();
    }
    return std::move(plan_);
  }

  LoweringPlan by_element() {
    take_by_element();
    return std::move(plan_);
  }

 private:
  const LoweredKernel& edge() const { return plan_.lowered.edge; }
  bool constant_kernels() const { return plan_.lowered.vertex.constant() && plan_.lowered.constant_edges(); }
  double kernel_error() const { return amplification_.kernel_error(factored_share * setup_.options.tolerance); }

  /// For an automatic choice: kernels are constant, the residual of about 10 ε K / q² is within the tolerance, spectra fit.
  bool closed_form_available() const {
    constexpr double rounding = 20 * std::numeric_limits<double>::epsilon();
    return constant_kernels() && rounding * (1 + amplification_.factor()) <= setup_.options.tolerance && spectra_fit();
  }

  /// For an automatic choice: whether sparse factors are considered.
  bool sparse_available(const Factors& factors) const {
    const std::size_t bytes = factors.rank * SpectraMemory(setup_.graphs).vertices * sizeof(double);
    return choice_ == AutomaticChoice::all && bytes <= setup_.memory / sparse_share;
  }

  /// Whether the set can be kept both by element and by factors.
  bool both_available(const Factors& factors) const { return both_forms_fit(setup_.graphs, factors, setup_.memory); }

  bool spectra_fit() const {
    const SpectraMemory memory(setup_.graphs);
    return memory.kept + memory.each <= setup_.memory;
  }

  Error refusal(const std::string& why) const {
    return Error(
        fmt::format("lowering '{}': {}; allowed is another one, or auto", lowering_name(setup_.lowering), why));
  }

  void take_closed_form() {
    if (!constant_kernels()) {
      throw refusal(fmt::format("it needs constant kernels, and these are '{}' and '{}'", setup_.kernel.vertex.text(),
                                setup_.kernel.edge.text()));
    }
    plan_.lowering = Lowering::closed_form;
    plan_.report = report::of_closed_form(costs_.closed_form());
  }

  void take_forced_factors() {
    std::optional<Factors> factors = factorize(edge(), kernel_error(), factor_limit);
    if (!factors) {
      throw refusal(
          fmt::format("an error of {:.1e} in the edge kernel, which K needs at this q and tolerance, "
                      "takes more than {} factors",
                      kernel_error(), factor_limit));
    }
    take_factored(std::move(*factors));
  }

  /// For an automatic choice: factors of rank `most` at most.
  std::optional<Factors> admissible_factors(std::size_t most) const {
    try {
      std::optional<Factors> factors = factorize(edge(), kernel_error(), most);
      if (factors && factors->sparse() && !sparse_available(*factors)) return {};
      if (factors && factors->error > kernel_error()) return {};
      return factors;
    } catch (const Error&) {
      // Rounding may hide that a kernel is semidefinite; then it is evaluated without factors.
      return {};
    }
  }

  void take_factored(Factors factors) {
    keep(std::move(factors));
    plan_.lowering = Lowering::factored;
    plan_.report = report::of_all(report::of_factors(*plan_.factors, plan_.relative_error),
                                  costs_.factored(plan_.factors->terms, plan_.factors->sparse()));
  }

  void take_by_pair(const PairwiseLowering& pairwise, const PairwiseTotals& totals, Factors factors) {
    take_by_element();
    keep(std::move(factors));
    plan_.takes_factors = pairwise.choice(plan_.factors->terms, plan_.factors->sparse());
    plan_.report = report::by_pair(report::of_factors(*plan_.factors, plan_.relative_error), plan_.lowering, totals);
  }

  void keep(Factors factors) {
    plan_.relative_error = amplification_.relative_error(factors.error);
    plan_.factors = std::move(factors);
  }

  void take_table() {
    if (edge().constant()) throw refusal("the edge kernel is constant, and needs none");
    if (!edge().tabulated()) {
      throw refusal(fmt::format("there are {} distinct edge labels, and tables are made for 1 to {}",
                                edge().record_count, table_limit));
    }
    report_by_element(Lowering::table);
  }

  void take_on_the_fly() {
    plan_.lowered.edge.table.clear();
    report_by_element(Lowering::on_the_fly);
  }

  void take_by_element() {
    const bool table = edge().tabulated() && !(choice_ == AutomaticChoice::native && edge().delta());
    report_by_element(table ? Lowering::table : Lowering::on_the_fly);
  }

  void report_by_element(Lowering lowering) {
    plan_.lowering = lowering;
    plan_.report = report::of_all(lowering_name(lowering), costs_.by_element(edge()));
  }

  const SolverSetup& setup_;
  AutomaticChoice choice_;
  LoweringPlan plan_;
  std::optional<CostModel> own_cost_;  ///< made if the setup has no cost model
  const CostModel& cost_;
  LoweringCosts costs_;
  Amplification amplification_;
};

}  // namespace

double LoweringPlan::tolerance_left(double tolerance) const {
  return std::max(tolerance - relative_error, (1 - factored_share) * tolerance);
}

SolveOptions LoweringPlan::options_left(const SolveOptions& options) const {
  SolveOptions left = options;
  left.tolerance = tolerance_left(options.tolerance);
  left.estimated_error = static_cast<float>(tolerance_left(options.estimated_error));
  return left;
}

LoweringPlan choose_lowering(const SolverSetup& setup, AutomaticChoice choice, const LoweringPrices& prices) {
  Planner planner(setup, choice, prices);
  if (setup.lowering != Lowering::automatic) return planner.forced();
  const bool free = choice != AutomaticChoice::by_element && setup.primitive.family == PrimitiveFamily::automatic;
  return free ? planner.cheapest() : planner.by_element();
}

}  // namespace octile::plan
