// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/factors.hpp>
#include <octile/plan/lowered_set.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace octile {

/// The two base kernels of a set as short sums of products, as exact as it takes to guess a solution:
///
///     1 / κv(a, b) ≈ Σ_t σ_t χ_t(a) χ_t(b), σ_t = ±1        κe(e, e') ≈ Σ_k φ_k(e) φ_k(e')
///
/// so that a pair's matrix is a sum of Kronecker products, Σ_t σ_t (D ⊙ χ_t) ⊗ (D' ⊙ χ_t) − Σ_k (A ⊙ φ_k) ⊗ (A' ⊙ φ_k), and so
/// is what a basis of each graph makes of it.
struct ProjectionTerms {
  std::size_t ids = 0;
  std::size_t vertex_terms = 0;
  std::vector<float> signs;   ///< σ_t
  std::vector<float> vertex;  ///< χ_t(id) at t · ids + id
  std::size_t rank = 0;
  std::vector<float> edge;  ///< φ_k(record) at record · rank + k
};

/// What these sums may lack: of κe, and of 1/κv (`table_terms`), weighted by how many vertices have an id.
inline constexpr double projection_error = 3e-4;

/// And the most terms that each may have.
inline constexpr std::size_t most_projection_terms = 12;

/// The terms of a set, from `factors` of its edge kernel where they are at hand (null: not). None where it takes too many,
/// or more than 64 ids of vertices.
std::optional<ProjectionTerms> projection_terms(const plan::LoweredSet& lowered, const Factors* factors);

}  // namespace octile
