// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/uninitialized.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/plan/lowered_set.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace octile::cuda {

/// The two base kernels of a set as short sums of products, exact enough to guess a solution:
///
///     1 / κv(a, b) ≈ Σ_t σ_t χ_t(a) χ_t(b), σ_t = ±1        κe(e, e') ≈ Σ_k φ_k(e) φ_k(e')
///
/// So a pair's matrix is a sum of Kronecker products, Σ_t σ_t (D ⊙ χ_t) ⊗ (D' ⊙ χ_t) − Σ_k (A ⊙ φ_k) ⊗ (A' ⊙ φ_k). Its
/// projection on the bases of both graphs is such a sum too.
///
/// If `weighted`, the terms are those of κv itself, and guesses are κv ∘ (F C F'ᵀ): a solution is κv / (d d') times numbers that differ
/// little from vertex to vertex, so that few vectors suffice for these.
struct ProjectionTerms {
  std::size_t ids = 0;
  std::size_t vertex_terms = 0;
  bool weighted = false;
  std::vector<float> signs;        ///< σ_t; 1 if weighted
  std::vector<float> vertex;       ///< χ_t(id) at t · ids + id
  std::vector<float> reciprocals;  ///< 1/κv at id · ids + id', if weighted
  std::size_t rank = 0;
  UninitializedVector<float> edge;  ///< φ_k(record) at record · rank + k
};

/// The error allowed for κe, and for 1/κv with ids weighted by their number of vertices (`table_terms`).
inline constexpr double projection_error = 3e-4;

/// The most terms that each sum may have.
inline constexpr std::size_t most_projection_terms = 12;

/// The error allowed for κv where guesses are weighted by it, and how many terms their projected matrices may have: each two terms of κv with
/// each of κe.
inline constexpr double weights_error = 1e-6;
inline constexpr std::size_t most_weighted_terms = 40;

/// The terms of a set: weighted if that is allowed, κv is not constant and its terms are few. `factors` are those of
/// its edge kernel if they are known, else null. Returns nothing if too many terms would be needed, or if there are
/// more than 64 vertex ids.
std::optional<ProjectionTerms> projection_terms(const plan::LoweredSet& lowered, const Factors* factors, bool weighted);

}  // namespace octile::cuda
