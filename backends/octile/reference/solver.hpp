// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/problem.hpp>
#include <octile/solvers/pair_solver.hpp>
#include <octile/solvers/setup.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace octile::reference {

/// The reference for all other backends: the pair's system as the paper writes it,
///
///     K(G, G') = p×ᵀ (D× V×⁻¹ − A× ⊙ E×)⁻¹ D× q×,
///
/// formed densely in double from literal Kronecker products and solved by a
/// library's Cholesky factorization. The residual is formed in extended precision (`long double`) with base kernels and degrees in it,
/// corrects the solution twice, and bounds the error of K. Derivatives are ∂K = yᵀ (∂b − ∂S x). It restates base kernels and
/// degrees, shares no code with the other backends, and is slow on purpose.
///
/// Its iterations are 0. `converged` if the residual is within the
/// tolerance, `stagnated` if rounding keeps it above, `breakdown` if the matrix
/// cannot be factorized. A solve throws `Error` for more than `most_unknowns`, and
/// for a base kernel value outside of (0, 1] for κv or of [0, 1] for κe.
class Solver final : public PairSolver {
 public:
  /// The most unknowns n·m that a pair may have: its matrices take 8·(n·m)² bytes
  /// each, and three of them live at a time.
  static constexpr std::size_t most_unknowns = 6000;

  /// Copies the graphs. Throws `Error` naming the graph, the label and its type
  /// if a base kernel needs a label that a graph lacks or has in another type.
  Solver(std::span<const Graph> graphs, KernelSpec kernel, const SolveOptions& options);

  std::size_t unknowns(Pair pair) const override;
  std::size_t parameter_count() const override;
  Precision precision() const override { return Precision::float64; }
  std::string description() const override;

 private:
  void answer_to(const Request& request, const Answer& answer) override;
  const Graph& graph(std::int32_t index) const { return graphs_[static_cast<std::size_t>(index)]; }

  std::vector<Graph> graphs_;
  KernelSpec kernel_;
  SolveOptions options_;
};

/// K of two graphs as the reference knows it before it rounds to double, with relative errors of about the roundoff of `long double`
/// times K/q²; not a number where the matrix cannot be factorized. For tests.
long double extended_value(const Graph& first, const Graph& second, const KernelSpec& kernel);

/// Makes a `Solver`, for `backends()`. Throws `Error` for float32, which it does not support.
std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup);

}  // namespace octile::reference
