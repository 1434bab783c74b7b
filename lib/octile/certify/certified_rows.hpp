// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace octile {

/// What rows of a pair's systems take of the vertices of one graph (`ExactGraphs`).
struct VerticesOfRows {
  const double* degrees;
  const double* inverse_degrees;
  const double* starting;
  const double* inverse_starting;
  const std::int32_t* neighbours;
};

/// What all rows of a set have in common (`add_row` of certificate.hpp).
struct CommonOfRows {
  double square;          ///< q²
  double inverse_square;  ///< 1 / q²
  double of_product;      ///< roundoffs of N x beside one for each pair of edges
  double of_diagonal;     ///< roundoffs of the diagonal and of b beside one for each edge
  double counting = 0;    ///< 1 where sums count M⁻¹ times the products, which round as these do; else 0
};

/// A trial solution and its product in a row of vertex i, by vertices i'. Without values, there is no such side.
struct TrialOfRow {
  const double* values;
  const double* products;
  const double*
      counted;  ///< what the sums count for the values: the values themselves, or M⁻¹ times the products (`CertificateSums`)
};

/// The sums of `CertificateSums`, in plain numbers.
struct SumsOfRows {
  struct Side {
    double value = 0;
    double worst = 0;
    double left = 0;
    double rounding = 0;
    double squares = 0;
  };
  Side x;
  Side y;
  double correction = 0;
  double no_step = 0;
  double counting_x = 0;  ///< Σ p of what rounding leaves unknown of M⁻¹ N x, where that is counted
  double counting_y = 0;  ///< Σ b of what rounding leaves unknown of M⁻¹ N y, where that is counted
};

/// Adds the rows ii' of one vertex i of G and all m vertices i' of G', as `add_row` adds each of them (certificate.hpp), by vectors of a
/// CPU. So numbers are added in another order, and of no more numbers one after the other. `kappa` is κv of the rows.
void add_rows(SumsOfRows& sums, const VerticesOfRows& first, std::size_t i, const VerticesOfRows& second, std::size_t m,
              const double* kappa, const CommonOfRows& common, const TrialOfRow& x, const TrialOfRow& y);

}  // namespace octile
