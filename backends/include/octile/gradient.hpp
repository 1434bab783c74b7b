// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/gram.hpp>
#include <octile/graph.hpp>
#include <octile/parameters.hpp>
#include <octile/problem.hpp>

#include <span>
#include <vector>

namespace octile {

/// A Gram matrix with the derivatives of its values by every parameter of the kernel.
struct GramGradient {
  GramResult gram;                    ///< the matrix, and the result of every pair
  std::vector<Parameter> parameters;  ///< θ_t, in the order of `octile::parameters`
  /// ∂K(G_i, G_j) / ∂θ_t of pair (i ≤ j) at `pair_index(i, j, N)` · parameters + t; of normalised values if they are.
  std::vector<double> derivatives;
};

/// The Gram matrix of a set and its derivatives, ∂K = yᵀ (∂b − ∂S x) (docs/mathematics.md). They are about as exact as x and
/// y: to 1e-4 of K / parameter, where that is hard to at most about 1e-3, and to 1e-8 with an accuracy finer than 1e-8 or in float64. If no accuracy is set, it is `Accuracy{}`.
/// Throws as `gram` does, and for an accuracy that is not proven.
GramGradient gram_gradient(std::span<const Graph> graphs, const KernelSpec& kernel, const GramOptions& options = {});

/// The derivatives of Σ_ij weights_ij K_ij by every parameter, with the N×N matrix of values. `weights` are N×N, row major. Each
/// pair's derivatives are added where they are formed: P numbers are kept, not N² P.
struct WeightedGradient {
  GramResult gram;                    ///< the matrix, and the result of every pair
  std::vector<Parameter> parameters;  ///< θ_t, in the order of `octile::parameters`
  std::vector<double> derivatives;    ///< one a parameter
};

/// The Gram matrix of a set and the derivatives of a weighted sum of its values, as accurate as those of `gram_gradient`. Throws as that does, and `Error` for weights of another number than N².
WeightedGradient weighted_gradient(std::span<const Graph> graphs, const KernelSpec& kernel,
                                   std::span<const double> weights, const GramOptions& options = {});

}  // namespace octile
