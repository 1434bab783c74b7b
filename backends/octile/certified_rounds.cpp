// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certified_solver.hpp>

#include <octile/backends.hpp>
#include <octile/certify/exact_set.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace octile {
namespace {

/// Both systems are solved to this share of the root of the accuracy, by the norm of their residuals. Their errors multiply, and the bound is a few
/// times the product of the two norms, since it weighs rows differently. Pairs that miss their accuracy are solved again.
constexpr double share_of_root = 0.5;
/// The share of the root where p is 0 on a vertex of the set: there the bound takes the largest residual of a row of x, which is further above its norm.
constexpr double share_of_root_by_rows = 0.2;
/// One system is solved to this share of the accuracy.
constexpr double share_of_accuracy = 0.125;
/// For a rough value one system is solved to this share of the accuracy: where a bound is larger, the pair goes on to a better one anyway.
constexpr double share_of_rough = 0.35;
/// What float32 reaches, about, by the norm of a residual that is formed in double. Solves to less would only iterate in vain.
constexpr double float32_tolerance = 1e-6;
/// What factors may leave unknown in the residuals is this share of the accuracy.
constexpr double share_of_factors = 0.05;
/// What factors may leave unknown in the residuals of the adjoint system is this share of the root of the accuracy.
constexpr double share_of_adjoint_factors = 0.1;
/// The rounds in float64, by their tolerance beside that of the first. Where weights differ by decades the norm that a solve
/// stops at says little about single rows, and only the last rounds bring all of them down.
constexpr std::array float64_shares{0.5, 1e-2, 1e-4, 1e-7};
constexpr double float64_tolerance = 1e-15;
/// The last round where derivatives are formed. The norm of y's residual is that of M⁻¹s, which rows of light edges rule: where weights lie far
/// apart it has to be smaller by as much before y is right in the others.
constexpr double last_share_of_derivatives = 1e-11;
/// An accuracy finer than this is fine.
constexpr double fine_accuracy = 1e-8;
/// What derivatives may be off by, by the bounds of x and y: this times the accuracy but at most that, or with a fine accuracy the last.
constexpr double share_of_derivatives = 1000;
constexpr double coarse_derivatives = 1e-3;
constexpr double fine_derivatives = 1e-8;
/// x and y are solved to this share of it: what is left of rows is a few times a solve's norm.
constexpr double share_solved_to = 0.1;
/// On a device, solutions that are corrected are solved to this at most, and so are their corrections: each gains as much.
constexpr double corrected_tolerance = 1e-3;
/// The second round on a device solves to this share of the first one's tolerance at least, if that is above what float32 reaches.
constexpr double share_of_second = 0.02;
/// By how many corrections more the rounds behind it go on for pairs that the first left too inexact, with the same solver.
constexpr std::array more_corrections{1, 3};

}  // namespace

UnknownByFactors CertifiedSolver::unknown_by_factors() const {
  // Derivatives take a walk, which gives a host the residuals, too, and so do walks of at least one step, each of which is to be exact in
  // itself. Factors are of all labels of a set: whoever asks for on-the-fly has values that do not depend on other graphs.
  const bool on_gpu = find_backend(options_.backend).on_gpu;
  const bool walks =
      (differentiates() && !on_gpu) || kernel_.shortest_walk > 0 || options_.lowering == Lowering::on_the_fly;
  if (walks) return {};
  const double of_x = share_of_factors * accuracy_;
  // The errors of both sides multiply.
  return {of_x, purpose_ == Purpose::solutions ? of_x : share_of_adjoint_factors * std::sqrt(accuracy_), on_gpu};
}

bool CertifiedSolver::fine() const { return accuracy_ < fine_accuracy; }

double CertifiedSolver::most_of_derivatives() const {
  const bool in_double = options_.precision.value_or(Precision::float32) == Precision::float64;
  return fine() || in_double ? fine_derivatives : std::min(share_of_derivatives * accuracy_, coarse_derivatives);
}

void CertifiedSolver::plan_device_rounds(double tolerance, Lowering lowering) {
  const double corrected = std::min(std::sqrt(tolerance), corrected_tolerance);
  const bool reached = tolerance >= float32_tolerance;
  const int first = reached ? 0 : 1;
  const double of_first = reached ? tolerance : corrected;
  rounds_.push_back({Precision::float32, of_first, lowering, first});
  if (float32_tolerance < tolerance / 2) {
    const double share = std::max(float32_tolerance / tolerance, share_of_second);
    rounds_.push_back({Precision::float32, of_first, lowering, 0, share});
  }
  for (const int more : more_corrections) {
    rounds_.push_back({Precision::float32, of_first, lowering, first + more, corrected / of_first});
  }
  const PairSolver& solver = solver_of(rounds_.front());
  if (solver.certifies()) return;
  if (purpose_ == Purpose::derivatives && lowering == Lowering::automatic && !solver.iterates()) {
    // The closed form is quick for values; their derivatives the host would form of its solutions.
    rounds_.clear();
    plan_device_rounds(tolerance, Lowering::on_the_fly);
    return;
  }
  // Without corrections the first round is what any solver starts with.
  rounds_.erase(rounds_.begin() + (reached ? 1 : 0), rounds_.end());
}

void CertifiedSolver::plan_rounds() {
  const bool single = find_backend(options_.backend).single_precision &&
                      options_.precision.value_or(Precision::float32) == Precision::float32;
  if (purpose_ == Purpose::rough) {
    rounds_.push_back(
        {single ? Precision::float32 : Precision::float64, share_of_rough * accuracy_, options_.lowering, 0});
    return;
  }
  double tolerance = (exact_->starts_everywhere() ? share_of_root : share_of_root_by_rows) * std::sqrt(accuracy_);
  if (solves_nodes()) tolerance = share_of_accuracy * accuracy_;
  if (purpose_ == Purpose::derivatives) tolerance = std::min(tolerance, share_solved_to * most_of_derivatives());
  if (single && !solves_nodes() && find_backend(options_.backend).id == BackendId::cuda) {
    plan_device_rounds(tolerance, options_.lowering);
  }
  if (single && tolerance >= float32_tolerance && rounds_.empty()) {
    rounds_.push_back({Precision::float32, tolerance, options_.lowering, 0});
  }
  if (rounds_.empty() || options_.precision.value_or(Precision::float64) == Precision::float64 || options_.refine) {
    for (const double share : float64_shares) {
      rounds_.push_back({Precision::float64, std::max(share * tolerance, float64_tolerance), options_.lowering, 0});
    }
    if (purpose_ == Purpose::derivatives) {
      const double least = std::max(last_share_of_derivatives * tolerance, float64_tolerance);
      rounds_.push_back({Precision::float64, least, options_.lowering, 0});
    }
  }
}

}  // namespace octile
