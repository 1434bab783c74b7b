// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace octile {

/// How a pair's solve ended. A pair that did not converge is always reported as such.
enum class Status : std::int32_t {
  converged,  ///< ‖M⁻¹r‖ ≤ tolerance · ‖M⁻¹b‖, r recomputed from x; or, where an `Accuracy` was asked for, it is proven
  stagnated,  ///< rounding in this precision keeps the recomputed residual above it
  iteration_limit,  ///< the iterations allowed ran out
  breakdown,        ///< a number was not finite or underflowed, or the matrix is not positive definite to rounding
};

/// "converged", "stagnated", "iteration limit" or "breakdown".
constexpr std::string_view status_name(Status status) {
  switch (status) {
    case Status::converged: return "converged";
    case Status::stagnated: return "stagnated";
    case Status::iteration_limit: return "iteration limit";
    case Status::breakdown: return "breakdown";
  }
  return "unknown";
}

/// Graphs `first` and `second` of a set, by index.
struct Pair {
  std::int32_t first = 0;   ///< G
  std::int32_t second = 0;  ///< G', which may be the same
};

/// A value below this is not believed: what it was summed of may have underflowed. Its pair is a `breakdown`.
inline constexpr double least_value = 1e-280;

/// The result of a pair. `value` is K(G, G') = p×ᵀ x = bᵀ y, not normalised.
struct PairResult {
  double value = 0;  ///< K, as exact as was asked for if `status` is `converged`
  /// max_k |r_k| / b_k at the end, r = b − S x, plus the rounding of M x, and what a product in float may lack where it takes the
  /// place of one in double. But for what the product N x rounds else, it bounds the relative error of every x_k and of the value,
  /// since S is an M-matrix (docs/mathematics.md). For the adjoint system, with s = p× − S y, it is max_k |s_k| / p_k and bounds y
  /// and K alike. If p is 0 on a vertex, it is max_k |s_k| Σb / b_k, which is no bound.
  double residual = 0;
  /// |value − K| ≤ error_bound · K is certain: by a certificate, by what the closed form and the reference prove, or for graphs in
  /// Views in double by the residual. Infinite where nothing is, as after another solve to a residual.
  double error_bound = std::numeric_limits<double>::infinity();
  std::int32_t iterations = 0;        ///< of both systems together, where both are solved
  Status status = Status::breakdown;  ///< how the solve ended
};

/// The most bytes of work space that a solve takes by default, unless a single pair takes more.
inline constexpr std::size_t workspace_limit = std::size_t(4) << 30;

/// When a pair counts as solved: the tolerance of ‖M⁻¹r‖ / ‖M⁻¹b‖, M the diagonal of S, and the most
/// iterations that a pair may take, restarts included.
struct SolveOptions {
  double tolerance = 1e-8;             ///< ‖M⁻¹r‖ / ‖M⁻¹b‖ to reach
  std::int32_t max_iterations = 2000;  ///< of one pair
  /// Whether residuals are formed from the solutions later, by whoever asked. Then a pair ends where CG's recurrence predicts that the
  /// tolerance is met, which is not looked at, and the residual of its `PairResult` is a norm, as CG's recurrence predicts it.
  bool judged_later = false;
  /// If it is not 0: a pair ends where the relative error of K is estimated to be at most this, for even starting probabilities
  /// (`estimated_tolerance` of conjugate_gradient.hpp). Then r is not recomputed, and the residual of its `PairResult` is a norm. Where
  /// solutions or the adjoint system are asked for, and where float does the work of double, pairs end by the tolerance. `gram` sets it from
  /// its accuracy, and takes no notice of what stands here.
  float estimated_error = 0;
  float evenness = 0;  ///< how even the degrees of the set's graphs are, in [0, 1]: by it such an estimate falls
};

}  // namespace octile
