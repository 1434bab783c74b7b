// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "common/kernels.hpp"

/// The kernel as the random walk of the paper's appendix, summed
/// in plain loops. It shares nothing with the reference backend, neither
/// the linear system nor the base kernels.
namespace octile::test {

struct SeriesResult {
  double value = 0;
  std::vector<double> nodewise;  ///< V× R∞, row major n·m: what the linear system's x is
};

/// K = p×ᵀ V× R∞, where R ← q× + ((P× ⊙ E×) V×) R from R = q×, P = D⁻¹A, until the sum no longer changes.
SeriesResult random_walk_series(const Graph& first, const Graph& second, const KernelCase& kernel,
                                const Stopping& stopping);

/// max_k |b − S x|_k / b_k of the pair's system S x = b, formed in long double.
double relative_residual(const Graph& first, const Graph& second, const KernelCase& kernel, const Stopping& stopping,
                         std::span<const double> x);

}  // namespace octile::test
