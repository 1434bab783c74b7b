// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/factors.hpp>
#include <octile/lowerings.hpp>
#include <octile/plan/costs.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/solver_setup.hpp>

#include <functional>
#include <optional>
#include <string>

namespace octile::plan {

/// How a set is to be solved, with all that the host has to know for it.
struct LoweringPlan {
  Lowering lowering = Lowering::on_the_fly;  ///< never `automatic`; by pair, where factors do not pay
  LoweredSet lowered;
  std::optional<Factors> factors;           ///< where `factored`, and by pair
  std::function<bool(Pair)> takes_factors;  ///< of a pair, where that is chosen by pair; else empty
  double relative_error = 0;  ///< of K and of the residual, by the factors' error, at most (`Amplification`)
  std::string report;         ///< "lowering factored, rank 9, …", for a solver's description
};

/// Which of the lowerings a caller can choose where nothing is forced.
enum class AutomaticChoice {
  all,         ///< by the cost model
  native,      ///< the native backend's: no sparse factors, and deltas on the fly
  by_element,  ///< table or on the fly
};

/// The plan for a set: the lowering that the setup asks for, else the one that the cost model expects to be fastest. With
/// a primitive chosen, a lowering that has a product of its own is not considered. Where it pays, factors or elements are
/// chosen by pair: for sets that fit the memory in both forms.
/// `prices` are those of the products that the backend has.
/// Half of the solve's tolerance is what the factors' error may make of K.
/// Throws `Error` for a lowering that the kernel does not admit.
LoweringPlan choose_lowering(const SolverSetup& setup, AutomaticChoice choice, const LoweringPrices& prices);

}  // namespace octile::plan
