// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>

#include <octile/gram.hpp>
#include <octile/pairs/agreement.hpp>
#include <octile/stopping.hpp>

/// Every tolerance of the tests, relative unless it says otherwise, as a multiple
/// of ε or of the CG tolerance, with its reason. A wider one needs a reason here.
namespace octile::test::tolerance {

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

inline constexpr double float_epsilon = std::numeric_limits<float>::epsilon();

constexpr double epsilon_of(Precision precision) { return precision == Precision::float32 ? float_epsilon : epsilon; }

/// The tolerance that the tests give to solvers: ‖M⁻¹r‖ ≤ tolerance · ‖M⁻¹b‖.
constexpr double solve(Precision precision) { return agreement::solve_tolerance(precision); }

/// How much a pair amplifies rounding: K/q², the number of steps that a joint walk is expected to take. It is about
/// ‖D× V×⁻¹ x‖ / ‖b‖, so one rounding of ε in the diagonal or in the product moves the residual by ε K/q², and K by
/// as much. Some d/(2q) for a weight, 1/(2q) for a probability.
inline double amplification(double value, const Stopping& stopping) { return value / (stopping.q() * stopping.q()); }

/// The residual that rounding alone may leave, and by which a residual formed in this precision may be off: ε K/q²,
/// times a few for the operations around the product, and for a sum of `terms` in its row one ε a term: that is what
/// a plain sum of like terms loses at worst, and two stars of 65 vertices, with 4096 terms at the centre, come near it.
inline double rounding_residual(Precision precision, double value, const Stopping& stopping, std::size_t terms) {
  return static_cast<double>(8 + terms) * epsilon_of(precision) * amplification(value, stopping);
}

/// The residual that rounding may leave of the closed form, which reports a bound. Each of the two eigendecompositions
/// leaves about ten ε. The bound adds them up over all eigenvectors, as if they pointed one way, and over the adjoint
/// solution too. A pair amplifies rounding by 1/q at most, while the mean, K/q², is small for vertices without edges.
inline double decomposition_residual(double value, const Stopping& stopping) {
  return 512 * epsilon * (amplification(value, stopping) + 16 / stopping.q());
}

/// The residual that rounding may leave where the edge kernel's factors are asked for down to rounding. Factors are
/// known to leave a few hundred roundings of κe, which count in the residual of a row times the set's `Amplification`:
/// about 1/2q of any set under `probability`, and as much times its largest degree where q is a weight.
inline double factors_residual(const Stopping& stopping) {
  constexpr double largest_degree = 65;
  return 256 * epsilon * (stopping.meaning() == StoppingMeaning::weight ? largest_degree : 1.0) / stopping.q();
}

/// Convergence is decided by a mean over a pair's rows. The reported residual is that of the worst row, and may be this
/// many times the tolerance. The most seen on our graphs is 30.
inline constexpr double worst_row = 100;

/// Error of K, and of x in the maximum norm, against the reference. K = wᵀ M⁻¹b with w > 0 (docs/mathematics.md), so a
/// residual r gives δK/K = wᵀ M⁻¹r / wᵀ M⁻¹b ≤ (‖M⁻¹r‖/‖M⁻¹b‖) / cos∠(w, M⁻¹b). Both vectors are positive, and w leans
/// on the slowest mode, which is positive too: the cosine stays above 0.1 for graphs of even degrees, and above 0.01
/// for the most uneven of ours (a star with 64 leaves). Float32 stops at 1e-6 and is held to 1e-5: where rounding would
/// spoil that it must not say converged.
constexpr double value(Precision precision) { return agreement::value_tolerance(precision); }

/// The error of K against the reference where both sides are in double and so ill-conditioned that their own rounding
/// shows (a complete graph of 65 vertices at q = 0.0005 has K/q² = 1e5).
inline double value(Precision precision, double expected, const Stopping& stopping) {
  return agreement::allowed_difference(precision, expected, stopping, true);
}

/// Error of K that a pair called converged may have on the hardest graphs, at the default tolerances of 1e-8 and 1e-6.
inline constexpr double hard = 1e-5;

/// Error of the values that these graphs are judged by: what a direct solve in double leaves.
inline constexpr double hard_reference = 1e-9;

/// The largest bound of an error that rounding in double leaves on these graphs.
inline constexpr double hard_bound = 1e-4;

/// Error of x alone on graphs with hubs: the tolerance divided by 0.01, the least cosine above.
constexpr double nodewise_with_hubs(Precision precision) { return 100 * solve(precision); }

/// A residual far above rounding, reported against recomputed.
constexpr double large_residual(Precision precision) { return precision == Precision::float32 ? 1e-2 : 1e-9; }

/// Cholesky in double against values by hand, by series or by eigenvalues: the error is some ε times the condition,
/// which is about max(d)²/(q·min(d)) (q = 0.0005: 1e5 for our weights).
inline constexpr double exact = 1e5 * epsilon;

/// The reference's own residual: backward stable, so a few ε times ‖A‖‖x‖/‖b‖, which is again about 1/q.
inline constexpr double exact_residual = 1e4 * epsilon;

/// What the reference's residual in extended precision leaves of K where walks are of so many steps: it counts a few hundred roundings
/// a step.
inline double extended(double steps) { return 256 * std::numeric_limits<long double>::epsilon() * steps; }

/// Identities between two solves (K(G,G') = K(G',G), relabelled vertices, scalings, unions): both ends carry the
/// error of one solve.
inline constexpr double identity = 2 * value(Precision::float64);

/// A few roundings, such as one product, quotient and root.
inline constexpr double roundings = 16 * epsilon;

/// A sum of so many products of factors of a kernel up to 1, formed in double.
inline double evaluated(std::size_t rank) { return static_cast<double>(rank + 1) * epsilon; }

/// Sums of a few hundred positive numbers, in another order.
inline constexpr double sums = 1000 * epsilon;

/// Step of a central difference of fourth order, relative to the parameter, where its error is still below that of rounding.
inline constexpr double difference_step = 2e-5;

/// A derivative of a few hundred at most against such a difference: ε over the step, and what the order leaves.
inline constexpr double central_difference = 1e-8;

/// A base kernel in float32, whose exponents of up to a hundred are off by as many roundings.
inline constexpr double float_kernel = 128 * float_epsilon;

/// Least eigenvalue of a Gram matrix over its largest, below 0 by the errors of its entries at most.
inline constexpr double semidefinite = 10 * value(Precision::float64);

}  // namespace octile::test::tolerance
