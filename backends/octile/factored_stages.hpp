// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace octile::portable {

/// One graph of a `FactoredSet` as the two stages read it.
template <class Scalar>
struct FactoredRows {
  const std::uint32_t* row_begin;
  const std::uint32_t* columns;
  const Scalar* factors;
  int rank;
};

/// Rows of G that are multiplied side by side: the innermost extent of T, over which the second stage is one vector
/// operation.
inline constexpr int factored_rows = 8;
/// Columns of x that the first stage sums at once; rows of x are padded to a multiple of it.
inline constexpr int factored_columns = 8;
/// Factors that the first stage keeps in registers.
inline constexpr int factored_ranks = 4;

constexpr std::size_t padded_columns(std::size_t m) {
  return (m + factored_columns - 1) / factored_columns * factored_columns;
}

/// Ranks k … k + Ranks − 1 of row i of (A ⊙ φ_k) x, i being row b of its block, on one thread:
///
///     t[(j' · rank + k) · factored_rows + b] ← Σ_j A_ij φ_k(e_ij) x_jj'
template <int Ranks, class Scalar>
inline void gather_row(const FactoredRows<Scalar>& graph, int i, int k, const Scalar* x, int padded, Scalar* t, int b) {
  constexpr int width = factored_columns;
  for (int first = 0; first < padded; first += width) {
    Scalar sums[Ranks][width] = {};
    for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
      const Scalar* x_row = x + static_cast<std::size_t>(graph.columns[e]) * static_cast<std::size_t>(padded) + first;
      const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.rank) + k;
      for (int r = 0; r < Ranks; ++r) {
        for (int w = 0; w < width; ++w) sums[r][w] += factors[r] * x_row[w];
      }
    }
    for (int w = 0; w < width; ++w) {
      for (int r = 0; r < Ranks; ++r) {
        t[(static_cast<std::size_t>(first + w) * static_cast<std::size_t>(graph.rank) +
           static_cast<std::size_t>(k + r)) *
              factored_rows +
          static_cast<std::size_t>(b)] = sums[r][w];
      }
    }
  }
}

/// The first stage: all ranks of row i.
template <class Scalar>
inline void gather_row(const FactoredRows<Scalar>& graph, int i, const Scalar* x, int padded, Scalar* t, int b) {
  int k = 0;
  for (; k + factored_ranks <= graph.rank; k += factored_ranks) {
    gather_row<factored_ranks>(graph, i, k, x, padded, t, b);
  }
  switch (graph.rank - k) {
    case 3: return gather_row<3>(graph, i, k, x, padded, t, b);
    case 2: return gather_row<2>(graph, i, k, x, padded, t, b);
    case 1: return gather_row<1>(graph, i, k, x, padded, t, b);
    default: return;
  }
}

/// The second stage, for one row i' of G' and a block of rows of G:
///
///     sums[b] ← Σ_j' Σ_k A'_i'j' φ_k(e'_i'j') t[(j' · rank + k) · factored_rows + b]
template <class Scalar>
inline void scatter_row(const FactoredRows<Scalar>& graph, int i, const Scalar* t, Scalar* sums) {
  // Sums that do not wait for each other: additions in a row would.
  constexpr int chains = sizeof(Scalar) == 4 ? 4 : 2;
  Scalar parts[chains][factored_rows] = {};
  const int whole = graph.rank / chains * chains;
  for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
    const std::size_t rank = static_cast<std::size_t>(graph.rank);
    const Scalar* row = t + static_cast<std::size_t>(graph.columns[e]) * rank * factored_rows;
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * rank;
    for (int k = 0; k < whole; k += chains) {
      for (int c = 0; c < chains; ++c) {
        for (int b = 0; b < factored_rows; ++b) parts[c][b] += factors[k + c] * row[(k + c) * factored_rows + b];
      }
    }
    for (int k = whole; k < graph.rank; ++k) {
      for (int b = 0; b < factored_rows; ++b) parts[0][b] += factors[k] * row[k * factored_rows + b];
    }
  }
  for (int b = 0; b < factored_rows; ++b) {
    Scalar sum = parts[0][b];
    for (int c = 1; c < chains; ++c) sum += parts[c][b];
    sums[b] = sum;
  }
}

}  // namespace octile::portable
