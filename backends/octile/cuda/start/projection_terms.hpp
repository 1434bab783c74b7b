// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/factors.hpp>
#include <octile/plan/lowered_set.hpp>
#include <octile/uninitialized.hpp>

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
struct ProjectionTerms {
  std::size_t ids = 0;
  std::size_t vertex_terms = 0;
  std::vector<float> signs;   ///< σ_t
  std::vector<float> vertex;  ///< χ_t(id) at t · ids + id
  std::size_t rank = 0;
  UninitializedVector<float> edge;  ///< φ_k(record) at record · rank + k
};

/// The error allowed for κe, and for 1/κv with ids weighted by their number of vertices (`table_terms`).
inline constexpr double projection_error = 3e-4;

/// The most terms that each sum may have.
inline constexpr std::size_t most_projection_terms = 12;

/// The terms of a set. `factors` are those of its edge kernel if they are known, else null. Returns nothing if too many
/// terms would be needed, or if there are more than 64 vertex ids.
std::optional<ProjectionTerms> projection_terms(const plan::LoweredSet& lowered, const Factors* factors);

}  // namespace octile::cuda
