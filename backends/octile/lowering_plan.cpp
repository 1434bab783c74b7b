// SPDX-License-Identifier: BSD-3-Clause
#include <octile/lowering_plan.hpp>

#include <octile/amplification.hpp>
#include <octile/error.hpp>
#include <octile/spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace octile {
namespace {

/// What of the tolerance the factors may use up; the rest is CG's.
constexpr double factored_share = 0.5;

/// The most that T of a pair may take of the memory for sparse factors to be chosen unasked; it has a row a label.
constexpr std::size_t sparse_share = 64;

/// Nanoseconds as "12.3 us".
std::string shown(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.3g} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds * 1e-3);
  return fmt::format("{:.3g} ms", nanoseconds * 1e-6);
}

/// Makes the plan: tries one lowering after the other, and keeps what it finds.
class Planner {
 public:
  Planner(const SolverSetup& setup, AutomaticChoice choice, const LoweringPrices& prices)
      : setup_(setup),
        choice_(choice),
        plan_{Lowering::on_the_fly, LoweredSet(setup), {}, 0, {}},
        costs_(setup.graphs, prices),
        amplification_(setup.graphs, setup.kernel) {}

  LoweringPlan forced() {
    switch (setup_.lowering) {
      case Lowering::closed_form: take_closed_form(); break;
      case Lowering::factored:
        if (!take_factored(factor_limit)) {
          throw refusal(
              fmt::format("an error of {:.1e} in the edge kernel, which K needs at this q and tolerance, "
                          "takes more than {} factors",
                          kernel_error(), factor_limit));
        }
        break;
      case Lowering::table: take_table(); break;
      default: take_on_the_fly();
    }
    return std::move(plan_);
  }

  /// The cheapest of all: the closed form against iterations, then the factors against what they replace.
  LoweringPlan cheapest() {
    const double by_element = costs_.by_element(edge());
    if (closed_form_is_had() && costs_.closed_form() < fewest_iterations * by_element) {
      take_closed_form();
    } else if (!take_factored(std::max<std::size_t>(costs_.largest_rank(by_element), 1), by_element)) {
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

  /// Unasked: the kernels are constant, its residual of about 10 ε K / q² is within the tolerance, and the spectra fit.
  bool closed_form_is_had() const {
    constexpr double rounding = 20 * std::numeric_limits<double>::epsilon();
    return constant_kernels() && rounding * (1 + amplification_.factor()) <= setup_.options.tolerance && spectra_fit();
  }

  /// Unasked.
  bool sparse_is_had(const Factors& factors) const {
    return choice_ == AutomaticChoice::all && sparse_bytes(factors) <= setup_.memory / sparse_share;
  }

  bool spectra_fit() const {
    const SpectraMemory memory(setup_.graphs);
    return memory.kept + memory.each <= setup_.memory;
  }

  std::size_t sparse_bytes(const Factors& factors) const {
    return factors.rank * SpectraMemory(setup_.graphs).vertices * sizeof(double);
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
    plan_.report = fmt::format("lowering {}, exact, predicted {} a pair", lowering_name(plan_.lowering),
                               shown(costs_.closed_form()));
  }

  /// Whether there are factors of at most that rank which cost less than `limit`.
  bool take_factored(std::size_t most, double limit = HUGE_VAL) {
    const bool forced = setup_.lowering == Lowering::factored;
    std::optional<Factors> factors;
    try {
      factors = factorize(edge(), kernel_error(), most);
    } catch (const Error&) {
      // A kernel whose rounding hides that it is semidefinite is solved as it is.
      if (forced) throw;
    }
    if (!factors) return false;
    if (!forced && factors->sparse() && !sparse_is_had(*factors)) return false;
    const double cost = costs_.factored(factors->terms, factors->sparse());
    if (cost >= limit) return false;
    plan_.lowering = Lowering::factored;
    plan_.relative_error = amplification_.relative_error(factors->error);
    const std::string error = factors->error == 0
                                  ? "exact"
                                  : fmt::format("error {:.1e} in the edge kernel and at most {:.1e} in K",
                                                factors->error, plan_.relative_error);
    plan_.report = fmt::format("lowering {}, rank {}{}, {}, predicted {} an iteration", lowering_name(plan_.lowering),
                               factors->rank, factors->sparse() ? " (sparse)" : "", error, shown(cost));
    plan_.factors = std::move(factors);
    return true;
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
    plan_.report = fmt::format("lowering {}, predicted {} an iteration", lowering_name(lowering),
                               shown(costs_.by_element(edge())));
  }

  const SolverSetup& setup_;
  AutomaticChoice choice_;
  LoweringPlan plan_;
  LoweringCosts costs_;
  Amplification amplification_;
};

}  // namespace

LoweringPlan plan_lowering(const SolverSetup& setup, AutomaticChoice choice, const LoweringPrices& prices) {
  Planner planner(setup, choice, prices);
  if (setup.lowering != Lowering::automatic) return planner.forced();
  const bool free = choice != AutomaticChoice::by_element && setup.primitive.family == PrimitiveFamily::automatic;
  return free ? planner.cheapest() : planner.by_element();
}

}  // namespace octile
