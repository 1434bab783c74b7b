// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/lanes.hpp>
#include <octile/certify/factored_product.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

// The factored product by chunks of factors, whose vectors go over factors (see `factored_product`):
//
//     t[j'][b][k] ← Σ_j A_ij φ_k(e_ij) x_jj'                       i the row b of a block, k a factor of the chunk
//     sum[b]      ← Σ_k Σ_j' A'_i'j' φ_k(e'_i'j') t[j'][b][k]      the lanes of k are added at the end
//
// Both stages read a vector of factors once for several rows or columns, and T need not be transposed. Where a chunk has fewer factors
// than a vector has lanes, `shared` columns of the first stage lie in one vector, and as many rows of T:
//
//     lane k · shared + s       column j' + s of x, in the sums of the first stage        row b + s, in T
//
// So T comes out of the sums of `shared` rows when their squares of shared × shared lanes are transposed.
namespace octile {

/// A chunk of so many factors in vectors of so many bytes.
template <int Bytes, int Factors, class Scalar>
struct ChunkLayout {
  static constexpr int width = width_of<Scalar, Bytes>;
  static constexpr int parts = Factors > width ? Factors / width : 1;   ///< vectors for its factors
  static constexpr int shared = Factors < width ? width / Factors : 1;  ///< columns or rows of a vector
  static constexpr int vectors = width / shared;                        ///< of a column of T, each of `parts`
  static constexpr int of_column = width * Factors;                     ///< numbers of a column of T
  static constexpr auto lanes = std::make_integer_sequence<int, width>();
};

/// Has what is read from there on addressed by constants. The compiler would keep a register for each of several places instead.
template <class T>
[[gnu::always_inline]] inline T* one_register(T* address) {
  asm("" : "+r"(address));
  return address;
}

/// The first stage of a chunk, for one row and so many vectors of columns; `x` begins with the first of them. `alone`: one column has
/// all lanes.
template <int Bytes, int Factors, int Vectors, bool alone, class Scalar>
[[gnu::always_inline]] inline void gather_chunk(const FactoredRows<Scalar>& graph, int i, int k, const Scalar* x,
                                                std::size_t m, VectorOf<Scalar, Bytes>* to) {
  using Vector = VectorOf<Scalar, Bytes>;
  using Layout = ChunkLayout<Bytes, Factors, Scalar>;
  Vector sums[static_cast<std::size_t>(Vectors * Layout::parts)] = {};
  for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.pitch) + k;
    const Scalar* row = one_register(x + static_cast<std::size_t>(graph.columns[e]) * m);
#pragma GCC unroll 2
    for (int part = 0; part < Layout::parts; ++part) {
      const Vector of_part = each<Bytes, Layout::shared>(factors + part * Layout::width, Layout::lanes);
#pragma GCC unroll 8
      for (int c = 0; c < Vectors; ++c) {
        if constexpr (Layout::shared == 1 || alone) {
          sums[c * Layout::parts + part] += of_part * row[c];
        } else {
          sums[c * Layout::parts + part] +=
              of_part * repeat<Bytes, Layout::shared>(row + c * Layout::shared, Layout::lanes);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int s = 0; s < Vectors * Layout::parts; ++s) to[s] = sums[s];
}

/// The first stage of a chunk for `rows` rows of G from `i` on, at most as many as share a vector of T, and for so many
/// vectors of columns. `x` and `t` begin with the first of the columns.
template <int Bytes, int Factors, int Vectors, bool alone, class Scalar>
[[gnu::always_inline]] inline void gather_shared(const FactoredRows<Scalar>& graph, int i, int rows, int k,
                                                 const Scalar* x, std::size_t m, Scalar* t) {
  using Vector = VectorOf<Scalar, Bytes>;
  using Layout = ChunkLayout<Bytes, Factors, Scalar>;
  constexpr int count = Vectors * Layout::parts;
  Vector sums[static_cast<std::size_t>(Layout::shared)][static_cast<std::size_t>(count)] = {};
#pragma GCC unroll 4
  for (int s = 0; s < Layout::shared; ++s) {
    if (s < rows) gather_chunk<Bytes, Factors, Vectors, alone>(graph, i + s, k, x, m, sums[s]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < Vectors; ++v) {
    if constexpr (Layout::shared == 1) {
#pragma GCC unroll 2
      for (int part = 0; part < Layout::parts; ++part) {
        store<Bytes>(t + v * Layout::of_column + part * Layout::width, sums[0][v * Layout::parts + part]);
      }
    } else {
      Vector square[static_cast<std::size_t>(Layout::shared)];
#pragma GCC unroll 4
      for (int s = 0; s < Layout::shared; ++s) square[s] = sums[s][v];
      transpose_blocks<1, Layout::shared>(square, Layout::lanes);
#pragma GCC unroll 4
      for (int s = 0; s < (alone ? 1 : Layout::shared); ++s) {
        store<Bytes>(t + (v * Layout::shared + s) * Layout::of_column, square[s]);
      }
    }
  }
}

/// The first stage of a chunk for `rows` rows of G from `i` on and all m columns. The last vectors overlap columns that
/// are done already, rather than having lanes without a column.
template <int Bytes, int Factors, class Scalar>
[[gnu::always_inline]] inline void gather_columns_of_chunk(const FactoredRows<Scalar>& graph, int i, int rows, int k,
                                                           const Scalar* x, int m, Scalar* t) {
  using Layout = ChunkLayout<Bytes, Factors, Scalar>;
  constexpr int most = 8 / Layout::parts;
  const auto columns = static_cast<std::size_t>(m);
  const int fit = m / Layout::shared;
  for (int done = 0; done < m;) {
    const int left = (m - done + Layout::shared - 1) / Layout::shared;
    // 0: there are fewer columns than lanes for them.
    int vectors = left > 2 ? std::min((left + 1) / 2 * 2, most) : left;
    if (vectors > fit) vectors = fit > 2 ? fit / 2 * 2 : fit;
    const int taken = std::max(vectors * Layout::shared, 1);
    const int begin = std::min(done, m - taken);
    const Scalar* const from = x + begin;
    Scalar* const to = t + begin * Layout::of_column;
    done = begin + taken;
    switch (vectors) {
      case 8:
        if constexpr (most >= 8) gather_shared<Bytes, Factors, 8, false>(graph, i, rows, k, from, columns, to);
        break;
      case 6:
        if constexpr (most >= 6) gather_shared<Bytes, Factors, 6, false>(graph, i, rows, k, from, columns, to);
        break;
      case 4: gather_shared<Bytes, Factors, 4, false>(graph, i, rows, k, from, columns, to); break;
      case 2: gather_shared<Bytes, Factors, 2, false>(graph, i, rows, k, from, columns, to); break;
      case 1: gather_shared<Bytes, Factors, 1, false>(graph, i, rows, k, from, columns, to); break;
      default:
        if constexpr (Layout::shared > 1) gather_shared<Bytes, Factors, 1, true>(graph, i, rows, k, from, columns, to);
    }
  }
}

/// The sums of all lanes of each row, in the lanes of its number. Neighbours are added first. `Shared` rows lie in each vector.
template <int Shared, int Distance, class Vector, class Indices>
[[gnu::always_inline]] inline Vector sum_lanes(Vector* rows, Indices lanes) {
  constexpr int vectors = static_cast<int>(Indices::size()) / Shared;
  if constexpr (Distance == vectors) {
    return rows[0];
  } else {
#pragma GCC unroll 16
    for (int row = 0; row < vectors; row += 2 * Distance) {
      const Vector first = rows[row];
      const Vector second = rows[row + Distance];
      rows[row] = with_other<Shared * Distance, false>(first, second, lanes) +
                  with_other<Shared * Distance, true>(first, second, lanes);
    }
    return sum_lanes<Shared, 2 * Distance>(rows, lanes);
  }
}

/// Adds what an element contributes to the sums of the second stage.
template <int Bytes, int Factors, int Vectors, class Scalar>
[[gnu::always_inline]] inline void scatter_element(const FactoredRows<Scalar>& graph, std::uint32_t e, int k,
                                                   const Scalar* t, VectorOf<Scalar, Bytes>* sums) {
  using Layout = ChunkLayout<Bytes, Factors, Scalar>;
  const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.pitch) + k;
  const Scalar* column = t + static_cast<std::size_t>(graph.columns[e]) * Layout::of_column;
#pragma GCC unroll 2
  for (int part = 0; part < Layout::parts; ++part) {
    const auto of_part = each<Bytes, Layout::shared>(factors + part * Layout::width, Layout::lanes);
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) {
      sums[part * Layout::vectors + v] += of_part * load<Bytes>(column + (v * Layout::parts + part) * Layout::width);
    }
  }
}

/// The second stage of a chunk, for one row i' of G' and the rows of the first `Vectors` vectors of a block.
template <int Bytes, int Factors, int Vectors, class Scalar>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> scatter_chunk(const FactoredRows<Scalar>& graph, int i, int k,
                                                                    const Scalar* t) {
  using Vector = VectorOf<Scalar, Bytes>;
  using Layout = ChunkLayout<Bytes, Factors, Scalar>;
  Vector sums[static_cast<std::size_t>(Layout::parts * Layout::vectors)] = {};
  std::uint32_t e = graph.row_begin[i];
  const std::uint32_t end = graph.row_begin[i + 1];
  if constexpr (Factors <= 4) {
    // With so few sums, additions would wait for each other: every other element has sums of its own.
    Vector others[static_cast<std::size_t>(Layout::vectors)] = {};
    for (; e + 1 < end; e += 2) {
      scatter_element<Bytes, Factors, Vectors>(graph, e, k, t, sums);
      scatter_element<Bytes, Factors, Vectors>(graph, e + 1, k, t, others);
    }
#pragma GCC unroll 16
    for (int v = 0; v < Vectors; ++v) sums[v] += others[v];
  }
  for (; e < end; ++e) scatter_element<Bytes, Factors, Vectors>(graph, e, k, t, sums);
  Vector all = sum_lanes<Layout::shared, 1>(sums, Layout::lanes);
  if constexpr (Layout::parts == 2) all += sum_lanes<1, 1>(sums + Layout::vectors, Layout::lanes);
  return all;
}

template <int Bytes, int Factors, int Vectors, class Scalar>
[[gnu::always_inline]] inline void scatter_chunk_rows(const FactoredRows<Scalar>& graph, int m, int k, const Scalar* t,
                                                      bool more, Scalar* sums) {
  constexpr int width = width_of<Scalar, Bytes>;
  for (int i = 0; i < m; ++i) {
    const VectorOf<Scalar, Bytes> sum = scatter_chunk<Bytes, Factors, Vectors>(graph, i, k, t);
    Scalar* to = sums + static_cast<std::size_t>(i) * width;
    store<Bytes>(to, more ? load<Bytes>(to) + sum : sum);
  }
}

/// One chunk for a block of `count` rows: sum[b] of each row i' of G' into `sums`, or more of them.
template <int Bytes, int Factors, class Scalar>
[[gnu::always_inline]] inline void multiply_chunk(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second,
                                                  int i, int count, int k, int m, const Scalar* x, Scalar* t, bool more,
                                                  Scalar* sums) {
  using Layout = ChunkLayout<Bytes, Factors, Scalar>;
  constexpr int quarter = Layout::vectors > 4 ? Layout::vectors / 4 : 1;
  for (int b = 0; b < count; b += Layout::shared) {
    gather_columns_of_chunk<Bytes, Factors>(first, i + b, count - b, k, x, m,
                                            t + b / Layout::shared * Layout::parts * Layout::width);
  }
  const int vectors = (count + Layout::shared - 1) / Layout::shared;
  switch ((vectors + quarter - 1) / quarter) {
    case 1: scatter_chunk_rows<Bytes, Factors, quarter>(second, m, k, t, more, sums); break;
    case 2:
      scatter_chunk_rows<Bytes, Factors, std::min(2 * quarter, Layout::vectors)>(second, m, k, t, more, sums);
      break;
    case 3:
      scatter_chunk_rows<Bytes, Factors, std::min(3 * quarter, Layout::vectors)>(second, m, k, t, more, sums);
      break;
    default: scatter_chunk_rows<Bytes, Factors, Layout::vectors>(second, m, k, t, more, sums);
  }
}

/// Factors of the largest chunk. Shorter vectors take two parts for it, so that sums are added in the same order.
template <class Scalar>
inline constexpr int chunk = factored_rows<Scalar>;

/// The first factor that no chunk has.
template <class Scalar>
[[gnu::always_inline]] inline int others_from(const FactoredRows<Scalar>& graph) {
  return graph.rank / factors_together * factors_together;
}

/// All chunks of a block of `count` rows: sum[b] of each row i' of G' into `sums`, a vector of them each.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void multiply_chunks(const FactoredRows<Scalar>& first,
                                                   const FactoredRows<Scalar>& second, int i, int count, int m,
                                                   const Scalar* x, Scalar* t, Scalar* sums) {
  int k = 0;
  for (; k + chunk<Scalar> <= first.rank; k += chunk<Scalar>) {
    multiply_chunk<Bytes, chunk<Scalar>>(first, second, i, count, k, m, x, t, k > 0, sums);
  }
  if constexpr (2 * factors_together < chunk<Scalar>) {
    if (k + 2 * factors_together <= first.rank) {
      multiply_chunk<Bytes, 2 * factors_together>(first, second, i, count, k, m, x, t, k > 0, sums);
      k += 2 * factors_together;
    }
  }
  if (k + factors_together <= first.rank) {
    multiply_chunk<Bytes, factors_together>(first, second, i, count, k, m, x, t, k > 0, sums);
  }
}

}  // namespace octile
