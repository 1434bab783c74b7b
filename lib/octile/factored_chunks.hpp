// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/factored_product.hpp>
#include <octile/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

// The factored product for many factors, whose vectors go over factors (see `factored_product`):
//
//     t[j'][b][k] ← Σ_j A_ij φ_k(e_ij) x_jj'                       i the row b of a block, 16 factors k in float or 8 in double
//     sum[b]      ← Σ_k Σ_j' A'_i'j' φ_k(e'_i'j') t[j'][b][k]      the lanes are added at the end
//
// Both stages read a vector of factors once for several rows or columns, and T need not be transposed.
namespace octile {

/// Factors of a chunk. Shorter vectors take two parts for it, so that sums are added in the same order.
template <class Scalar>
inline constexpr int chunk = factored_rows<Scalar>;

/// The first factor that no chunk has. Chunks are whole: with idle lanes they are not faster.
template <class Scalar>
[[gnu::always_inline]] inline int others_from(const FactoredRows<Scalar>& graph) {
  return graph.rank / chunk<Scalar> * chunk<Scalar>;
}

/// Has what is read from there on addressed by constants. The compiler would keep a register for each of several places instead.
template <class T>
[[gnu::always_inline]] inline T* one_register(T* address) {
  asm("" : "+r"(address));
  return address;
}

/// The first stage of a chunk, for one row and so many columns; `x` and `t` begin with the first of them.
template <int Bytes, int Columns, class Scalar>
[[gnu::always_inline]] inline void gather_chunk(const FactoredRows<Scalar>& graph, int i, int k, const Scalar* x,
                                                std::size_t m, Scalar* t) {
  using Vector = VectorOf<Scalar, Bytes>;
  constexpr int width = width_of<Scalar, Bytes>;
  constexpr int parts = chunk<Scalar> / width;
  Vector sums[static_cast<std::size_t>(Columns * parts)] = {};
  for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.pitch) + k;
    const Scalar* row = one_register(x + static_cast<std::size_t>(graph.columns[e]) * m);
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part) {
      const Vector of_part = load<Bytes>(factors + part * width);
#pragma GCC unroll 8
      for (int c = 0; c < Columns; ++c) sums[c * parts + part] += of_part * row[c];
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < Columns; ++c) {
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part) {
      store<Bytes>(t + c * width * chunk<Scalar> + part * width, sums[c * parts + part]);
    }
  }
}

/// The same for all columns.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void gather_chunk_row(const FactoredRows<Scalar>& graph, int i, int k, const Scalar* x,
                                                    int m, Scalar* t) {
  constexpr int many = Bytes / 8;
  constexpr int of_column = width_of<Scalar, Bytes> * chunk<Scalar>;
  const auto columns = static_cast<std::size_t>(m);
  int c = 0;
  for (; c + many <= m; c += many) gather_chunk<Bytes, many>(graph, i, k, x + c, columns, t + c * of_column);
  if (many > 4 && c + 4 <= m) {
    gather_chunk<Bytes, 4>(graph, i, k, x + c, columns, t + c * of_column);
    c += 4;
  }
  if (c + 2 <= m) {
    gather_chunk<Bytes, 2>(graph, i, k, x + c, columns, t + c * of_column);
    c += 2;
  }
  if (c < m) gather_chunk<Bytes, 1>(graph, i, k, x + c, columns, t + c * of_column);
}

/// The sum of all lanes of each row, in the lane of its number. Neighbours are added first.
template <int Distance, class Vector, class Indices>
[[gnu::always_inline]] inline Vector sum_lanes(Vector* rows, Indices lanes) {
  constexpr int width = static_cast<int>(Indices::size());
#pragma GCC unroll 16
  for (int row = 0; row < width; row += 2 * Distance) {
    const Vector first = rows[row];
    const Vector second = rows[row + Distance];
    rows[row] = with_other<Distance, false>(first, second, lanes) + with_other<Distance, true>(first, second, lanes);
  }
  if constexpr (2 * Distance < width) return sum_lanes<2 * Distance>(rows, lanes);
  return rows[0];
}

/// The second stage of a chunk, for one row i' of G' and the first `Rows` rows of a block.
template <int Bytes, int Rows, class Scalar>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> scatter_chunk(const FactoredRows<Scalar>& graph, int i, int k,
                                                                    const Scalar* t) {
  using Vector = VectorOf<Scalar, Bytes>;
  constexpr int width = width_of<Scalar, Bytes>;
  constexpr int parts = chunk<Scalar> / width;
  Vector sums[parts][static_cast<std::size_t>(width)] = {};
  for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.pitch) + k;
    const Scalar* column = t + static_cast<std::size_t>(graph.columns[e]) * (width * chunk<Scalar>);
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part) {
      const Vector of_part = load<Bytes>(factors + part * width);
#pragma GCC unroll 16
      for (int b = 0; b < Rows; ++b) sums[part][b] += of_part * load<Bytes>(column + b * chunk<Scalar> + part * width);
    }
  }
  constexpr auto lanes = std::make_integer_sequence<int, width>();
  Vector all = sum_lanes<1>(sums[0], lanes);
  if constexpr (parts == 2) all += sum_lanes<1>(sums[1], lanes);
  return all;
}

template <int Bytes, int Rows, class Scalar>
[[gnu::always_inline]] inline void scatter_chunk_rows(const FactoredRows<Scalar>& graph, int m, int k, const Scalar* t,
                                                      Scalar* sums) {
  constexpr int width = width_of<Scalar, Bytes>;
  for (int i = 0; i < m; ++i) {
    const VectorOf<Scalar, Bytes> sum = scatter_chunk<Bytes, Rows>(graph, i, k, t);
    Scalar* to = sums + static_cast<std::size_t>(i) * width;
    store<Bytes>(to, k > 0 ? load<Bytes>(to) + sum : sum);
  }
}

/// All chunks of a block of `count` rows: sum[b] of each row i' of G' into `sums`, a vector of them each.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void multiply_chunks(const FactoredRows<Scalar>& first,
                                                   const FactoredRows<Scalar>& second, int i, int count, int m,
                                                   const Scalar* x, Scalar* t, Scalar* sums) {
  constexpr int quarter = width_of<Scalar, Bytes> / 4;
  for (int k = 0; k < others_from(first); k += chunk<Scalar>) {
    for (int b = 0; b < count; ++b) {
      gather_chunk_row<Bytes>(first, i + b, k, x, m, t + static_cast<std::size_t>(b) * chunk<Scalar>);
    }
    switch ((count + quarter - 1) / quarter) {
      case 1: scatter_chunk_rows<Bytes, quarter>(second, m, k, t, sums); break;
      case 2: scatter_chunk_rows<Bytes, 2 * quarter>(second, m, k, t, sums); break;
      case 3: scatter_chunk_rows<Bytes, 3 * quarter>(second, m, k, t, sums); break;
      default: scatter_chunk_rows<Bytes, 4 * quarter>(second, m, k, t, sums);
    }
  }
}

}  // namespace octile
