// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/problem.hpp>

#include <span>

namespace octile {

/// How much an error of the edge kernel grows in K, for every pair of a set (derived in docs/lowering.md). With
/// s_i = Σ_j A_ij, ρ the largest s_i / d_i of the set, and κv, κe the largest values of the base kernels, an error of
/// up to ε in each value of κe changes K relatively, and |b − S x|_k / b_k of every row k, by at most
///
///     a ε / (1 − a ε),        a = ρ² κv / (1 − ρ² κv κe).
///
/// For a stopping probability q and κ up to 1, a = (1−q)² / (1 − (1−q)²), about 1/(2q).
class Amplification {
 public:
  Amplification(std::span<const Graph> graphs, const KernelSpec& kernel);

  /// The factor a.
  double factor() const { return factor_; }

  /// A bound of the relative error of K for an error of the edge kernel; infinite if there is no bound.
  double relative_error(double kernel_error) const;

  /// The largest error of the edge kernel for which the bound of K's relative error is at most `relative_error`.
  double kernel_error(double relative_error) const;

 private:
  double factor_;
};

}  // namespace octile
