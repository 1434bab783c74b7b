// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/factors.hpp>
#include <octile/lowerings.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/solvers/setup.hpp>

#include <functional>
#include <optional>
#include <string>

namespace octile::plan {

/// How a set is solved, with the data that the host needs for it.
struct LoweringPlan {
  Lowering lowering = Lowering::on_the_fly;  ///< never `automatic`; if chosen by pair, that of pairs without factors
  LoweredSet lowered;
  std::optional<Factors> factors;           ///< if `lowering` is `factored`, or if chosen by pair
  std::function<bool(Pair)> takes_factors;  ///< if chosen by pair, whether a pair takes factors; else empty
  double relative_error = 0;  ///< bound of what the factors' error makes of K and of the residual (`Amplification`)
  /// What of a solve's tolerance CG has, or of its estimated error.
  double tolerance_left(double tolerance) const;
  /// `options` with what CG has of both.
  SolveOptions options_left(const SolveOptions& options) const;
  std::string report;  ///< "lowering factored, rank 9, …", for a solver's description
};

/// Which lowerings a backend's automatic choice considers.
enum class AutomaticChoice {
  all,         ///< all of them
  native,      ///< those of the native backend: no sparse factors, and one delta or one Gaussian on the fly
  by_element,  ///< `table` and `on_the_fly` only
};

/// The plan for a set: the lowering that the setup asks for, else the one that the cost model expects to be fastest. If a
/// primitive is chosen, lowerings with a product of their own are not considered. Where it pays, and the set fits the memory
/// in both forms, each pair is solved by factors or by element, whichever is cheaper for it.
/// `prices` are those of the backend's products.
/// Factors are so exact that their error changes K by at most half of the solve's tolerance. Where rounding makes them less exact an
/// automatic choice takes none.
/// Throws `Error` for a lowering that the kernel does not allow.
LoweringPlan choose_lowering(const SolverSetup& setup, AutomaticChoice choice, const LoweringPrices& prices);

}  // namespace octile::plan
