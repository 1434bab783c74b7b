// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/factored_product.hpp>

#include <cstddef>
#include <cstdint>

namespace octile {

/// The factors of the entries of compressed rows, on a host: A_ij φ_k(e_ij) of entry r is values[r · pitch + k], k < count.
struct EntryFactors {
  const double* values;
  std::size_t pitch;
  int count;
};

/// Where the entries of each vertex begin and end, and its degree d_i.
struct EntryRows {
  const std::uint32_t* begin;
  const double* degrees;
  std::size_t count;
};

/// The most factors that are rotated, and numbers of a row of a rotation.
inline constexpr int most_rotated = 64;
inline constexpr std::size_t rotation_size = std::size_t{most_rotated} * most_rotated;

/// What rotated factors leave of rows is known of the first 4, 8, 12 … of them, which products take, and of all.
inline constexpr int rotated_step = factors_together;
inline constexpr int most_prefixes = most_rotated / rotated_step;
constexpr int prefixes_of(int kept) { return (kept + rotated_step - 1) / rotated_step; }

/// An orthogonal matrix R for factors: ψ_c = Σ_k φ_k R_kc have the same sum of products,
///
///     Σ_c ψ_c(e) ψ_c(e') = Σ_k φ_k(e) φ_k(e')
///
/// and of all factors that do, the first few ψ_c leave least of it, in the mean square over pairs of entries by A_ij / d_i, by which they
/// count in M⁻¹ N.
/// R_kc is written to rotation[k · most_rotated + c], c < kept, with columns of 0 behind them, and what ψ_0 … ψ_{c−1} leave to left[c],
/// a root mean square, c < count. Of many rows a part is looked at. Factors that are not finite keep their places,
/// and leave an infinite part.
void find_rotation(const EntryFactors& factors, const EntryRows& rows, int kept, double* rotation, double* left);

/// Writes A_ij ψ_c of entries `begin` … `end` − 1 of a row to to[r · kept + c], c < kept, which may be more than there are factors.
/// Writes Σ_j A_ij √λ_ij to left[l], l < prefixes_of(kept), where λ_ij is what the first 4 (l + 1) of these ψ_c leave of Σ_k φ_k². By Cauchy
/// and Schwarz they leave of a row of N p at most the product of this sum and that of the other graph's row, times the largest |p|.
void rotate_factors(const EntryFactors& factors, const double* rotation, std::size_t begin, std::size_t end, int kept,
                    float* to, double* left);

}  // namespace octile
