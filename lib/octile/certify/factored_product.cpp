// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/factored_product.hpp>

#include <octile/base/instructions.hpp>
#include <octile/base/lanes.hpp>
#include <octile/certify/factored_chunks.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace octile {
namespace {

/// Factors whose sums are in registers at once.
constexpr int factored_ranks = 4;

/// Row i of (A ⊙ φ_k) x for factors k … k + Ranks − 1 and the columns of Squares vectors, on one thread:
///
///     sums[v][k][b] ← Σ_j A_ij φ_k(e_ij) x_j,v        `stage` is that of v = 0, k = 0, b = i's place in its block
template <int Bytes, int Ranks, int Squares, class Scalar>
[[gnu::always_inline]] inline void gather_ranks(const FactoredRows<Scalar>& graph, int i, int k, const Scalar* x,
                                                std::size_t padded, Scalar* stage) {
  using Vector = VectorOf<Scalar, Bytes>;
  constexpr int width = width_of<Scalar, Bytes>;
  constexpr int count = Squares * Ranks;
  Vector sums[static_cast<std::size_t>(count)] = {};
  const auto add = [&](std::uint32_t e, Vector * to) __attribute__((always_inline)) {
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.pitch) + k;
    const Scalar* row = x + static_cast<std::size_t>(graph.columns[e]) * padded;
#pragma GCC unroll 8
    for (int r = 0; r < Ranks; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < Squares; ++v) to[v * Ranks + r] += factors[r] * load<Bytes>(row + v * width);
    }
  };
  std::uint32_t e = graph.row_begin[i];
  const std::uint32_t end = graph.row_begin[i + 1];
  if constexpr (Ranks <= 2) {
    // With so few sums, additions would wait for each other: every other element has sums of its own.
    Vector others[static_cast<std::size_t>(count)] = {};
    for (; e + 1 < end; e += 2) {
      add(e, sums);
      add(e + 1, others);
    }
#pragma GCC unroll 8
    for (int s = 0; s < count; ++s) sums[s] += others[s];
  }
  for (; e < end; ++e) add(e, sums);
#pragma GCC unroll 8
  for (int v = 0; v < Squares; ++v) {
#pragma GCC unroll 8
    for (int r = 0; r < Ranks; ++r) store<Bytes>(stage + (v * graph.rank + k + r) * width * width, sums[v * Ranks + r]);
  }
}

/// Row i of (A ⊙ φ_k) x for all factors k and the columns of `Squares` vectors, laid out in `stage` as by
/// `gather_ranks`.
template <int Bytes, int Squares, class Scalar>
[[gnu::always_inline]] inline void gather_row(const FactoredRows<Scalar>& graph, int i, const Scalar* x,
                                              std::size_t padded, Scalar* stage) {
  // AVX-512 has registers for twice as many factors.
  constexpr int most = Bytes > 32 ? 2 * factored_ranks : factored_ranks;
  int k = 0;
  for (; k + most <= graph.rank; k += most) gather_ranks<Bytes, most, Squares>(graph, i, k, x, padded, stage);
  if constexpr (most > factored_ranks) {
    switch (graph.rank - k) {
      case 7: return gather_ranks<Bytes, 7, Squares>(graph, i, k, x, padded, stage);
      case 6: return gather_ranks<Bytes, 6, Squares>(graph, i, k, x, padded, stage);
      case 5: return gather_ranks<Bytes, 5, Squares>(graph, i, k, x, padded, stage);
      case 4: return gather_ranks<Bytes, 4, Squares>(graph, i, k, x, padded, stage);
      default: break;
    }
  }
  switch (graph.rank - k) {
    case 3: return gather_ranks<Bytes, 3, Squares>(graph, i, k, x, padded, stage);
    case 2: return gather_ranks<Bytes, 2, Squares>(graph, i, k, x, padded, stage);
    case 1: return gather_ranks<Bytes, 1, Squares>(graph, i, k, x, padded, stage);
    default: return;
  }
}

/// Some columns of the first stage, for a block of `count` rows of G, transposed by squares on the way: the second stage
/// needs vectors of rows. `x` and `t` begin with the first of the columns.
///
///     t[(j' · rank + k) · rows + b] ← Σ_j A_ij φ_k(e_ij) x_jj',     i the row b of the block
///
/// `stage` has room for Squares · rank squares. Its rows from `count` on are not written: what they make of T is not used.
template <int Bytes, int Squares, class Scalar>
[[gnu::always_inline]] inline void gather_columns(const FactoredRows<Scalar>& graph, int i, int count, const Scalar* x,
                                                  std::size_t padded, Scalar* t, Scalar* stage) {
  constexpr std::size_t width = width_of<Scalar, Bytes>;
  const auto rank = static_cast<std::size_t>(graph.rank);
  for (int b = 0; b < count; ++b) {
    gather_row<Bytes, Squares>(graph, i + b, x, padded, stage + static_cast<std::size_t>(b) * width);
  }
  for (std::size_t v = 0; v < Squares; ++v) {
    for (std::size_t k = 0; k < rank; ++k) {
      VectorOf<Scalar, Bytes> square[width];
#pragma GCC unroll 16
      for (std::size_t b = 0; b < width; ++b) square[b] = load<Bytes>(stage + ((v * rank + k) * width + b) * width);
      transpose(square);
#pragma GCC unroll 16
      for (std::size_t w = 0; w < width; ++w) store<Bytes>(t + ((v * width + w) * rank + k) * width, square[w]);
    }
  }
}

/// The first stage for a block of rows, two vectors of columns at a time: they share the factors.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void gather_block(const FactoredRows<Scalar>& graph, int i, int count, const Scalar* x,
                                                std::size_t padded, Scalar* t, Scalar* stage) {
  constexpr std::size_t width = width_of<Scalar, Bytes>;
  const std::size_t of_column = static_cast<std::size_t>(graph.rank) * width;
  std::size_t first = 0;
  for (; first + 2 * width <= padded; first += 2 * width) {
    gather_columns<Bytes, 2>(graph, i, count, x + first, padded, t + first * of_column, stage);
  }
  if (first < padded) gather_columns<Bytes, 1>(graph, i, count, x + first, padded, t + first * of_column, stage);
}

/// The second stage, for one row i' of G' and a block of rows of G:
///
///     sum[b] = Σ_j' Σ_k A'_i'j' φ_k(e'_i'j') t[(j' · rank + k) · rows + b]
///
/// by few factors. Successive additions to one sum would wait for each other, so several elements have their own.
template <int Bytes, int Ranks, class Scalar>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> scatter_few(const FactoredRows<Scalar>& graph, int i,
                                                                  const Scalar* t) {
  using Vector = VectorOf<Scalar, Bytes>;
  constexpr int width = width_of<Scalar, Bytes>;
  constexpr std::uint32_t at_once = Ranks == 1 ? 4 : 2;
  Vector parts[static_cast<std::size_t>(factored_ranks)] = {};
  std::uint32_t e = graph.row_begin[i];
  const std::uint32_t end = graph.row_begin[i + 1];
  for (; e + at_once <= end; e += at_once) {
#pragma GCC unroll 4
    for (std::uint32_t u = 0; u < at_once; ++u) {
      const Scalar* row = t + static_cast<std::size_t>(graph.columns[e + u]) * Ranks * width;
      const Scalar* factors = graph.factors + static_cast<std::size_t>(e + u) * static_cast<std::size_t>(graph.pitch);
#pragma GCC unroll 2
      for (int c = 0; c < Ranks; ++c) parts[u * Ranks + c] += factors[c] * load<Bytes>(row + c * width);
    }
  }
  for (; e < end; ++e) {
    const Scalar* row = t + static_cast<std::size_t>(graph.columns[e]) * Ranks * width;
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.pitch);
#pragma GCC unroll 2
    for (int c = 0; c < Ranks; ++c) parts[c] += factors[c] * load<Bytes>(row + c * width);
  }
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

/// The second stage for one row i' of G' and a block of rows of G, by any number of factors: the sum that stands at
/// `scatter_few`.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> scatter_row(const FactoredRows<Scalar>& graph, int i,
                                                                  const Scalar* t) {
  if (graph.rank == 1) return scatter_few<Bytes, 1>(graph, i, t);
  if (graph.rank == 2) return scatter_few<Bytes, 2>(graph, i, t);
  using Vector = VectorOf<Scalar, Bytes>;
  constexpr int width = width_of<Scalar, Bytes>;
  // Several independent sums, since successive additions to one sum would wait for each other.
  Vector parts[static_cast<std::size_t>(factored_ranks)] = {};
  const auto rank = static_cast<std::size_t>(graph.rank);
  for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
    const Scalar* row = t + static_cast<std::size_t>(graph.columns[e]) * rank * width;
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.pitch);
    int left = graph.rank;
    for (; left >= factored_ranks; left -= factored_ranks, factors += factored_ranks, row += factored_ranks * width) {
#pragma GCC unroll 8
      for (int c = 0; c < factored_ranks; ++c) parts[c] += factors[c] * load<Bytes>(row + c * width);
    }
    // Not a loop: with a place that is not a constant the sums would be in memory.
    if (left > 0) parts[0] += factors[0] * load<Bytes>(row);
    if (left > 1) parts[1] += factors[1] * load<Bytes>(row + width);
    if (left > 2) parts[2] += factors[2] * load<Bytes>(row + 2 * width);
  }
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

/// The second stage for one row i' of G': what chunks of factors have made of it, if there are chunks (`sums` is not
/// null), and the remaining factors. Not a lambda: where it is not inlined, it would return a vector in another way
/// than its caller, which is compiled for other instructions, expects.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline VectorOf<Scalar, Bytes> sum_of_row(const FactoredRows<Scalar>& graph, int i,
                                                                 const Scalar* t, const Scalar* sums) {
  if (sums == nullptr) return scatter_row<Bytes>(graph, i, t);
  const VectorOf<Scalar, Bytes> of_chunks = load<Bytes>(sums + static_cast<std::size_t>(i) * width_of<Scalar, Bytes>);
  return graph.rank > 0 ? of_chunks + scatter_row<Bytes>(graph, i, t) : of_chunks;
}

/// The second stage for a block of `count` rows of G from `y` on, by squares of as many rows of G'. `sums` are those of chunks, if any
/// were made. `room` numbers may be written from `y` on: vectors write beyond the end of a row what is overwritten then, since the
/// columns that fill no square come first, and later rows later.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void scatter_block(const FactoredRows<Scalar>& graph, int count, int m, const Scalar* t,
                                                 const Scalar* sums, Scalar* y, std::size_t room) {
  using Vector = VectorOf<Scalar, Bytes>;
  constexpr int width = width_of<Scalar, Bytes>;
  Vector square[static_cast<std::size_t>(width)] = {};
  const int whole = m / width * width;
  if (whole < m) {
    for (int w = 0; w < width && whole + w < m; ++w) square[w] = sum_of_row<Bytes>(graph, whole + w, t, sums);
    transpose(square);
    for (int b = 0; b < count; ++b) {
      const std::size_t place =
          static_cast<std::size_t>(b) * static_cast<std::size_t>(m) + static_cast<std::size_t>(whole);
      if (place + width <= room) {
        store<Bytes>(y + place, square[b]);
      } else {
        for (int w = 0; w < width && whole + w < m; ++w) y[place + static_cast<std::size_t>(w)] = square[b][w];
      }
    }
  }
  for (int i = 0; i < whole; i += width) {
    for (int w = 0; w < width; ++w) square[w] = sum_of_row<Bytes>(graph, i + w, t, sums);
    transpose(square);
    for (int b = 0; b < count; ++b)
      store<Bytes>(y + static_cast<std::size_t>(b) * static_cast<std::size_t>(m) + i, square[b]);
  }
}

/// The first number of `work` that lies at the beginning of a cache line: a vector that lies in two takes twice as long to load.
template <class Scalar>
[[gnu::always_inline]] inline Scalar* aligned(Scalar* work) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(work) % factored_alignment;
  return past == 0 ? work : work + (factored_alignment - past) / sizeof(Scalar);
}

/// Rows of `columns` numbers, padded with 0. Short rows are many, and a call for each would take longer than the copy.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void pad_rows(const Scalar* x, int rows, std::size_t columns, std::size_t padded,
                                            Scalar* to) {
  constexpr std::size_t width = width_of<Scalar, Bytes>;
  for (int row = 0; row < rows; ++row, x += columns, to += padded) {
    for (std::size_t j = padded - factored_rows<Scalar>; j < padded; j += width) {
      store<Bytes>(to + j, VectorOf<Scalar, Bytes>{});
    }
    if (columns < width) {
      std::copy_n(x, columns, to);
      continue;
    }
    for (std::size_t j = 0; j + width <= columns; j += width) store<Bytes>(to + j, load<Bytes>(x + j));
    // The last vector begins with numbers that are there already.
    store<Bytes>(to + columns - width, load<Bytes>(x + columns - width));
  }
}

/// Rows i … of G by vectors of so many bytes: whole chunks of factors, then the others. `t` is where T begins in `work`.
template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void multiply_block(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second,
                                                  int i, int count, int n, int m, const Scalar* x, Scalar* y,
                                                  const Scalar* work, Scalar* t) {
  const auto columns = static_cast<std::size_t>(m);
  const std::size_t padded = padded_columns<Scalar>(columns);
  constexpr std::size_t rows = factored_rows<Scalar>;
  Scalar* const sums = t + (padded + 2 * rows) * static_cast<std::size_t>(first.rank) * rows;
  const int k = others_from(first);
  multiply_chunks<Bytes>(first, second, i, count, m, x, t, sums);
  const auto others = [k](const FactoredRows<Scalar>& graph) {
    return FactoredRows<Scalar>{graph.row_begin, graph.columns, graph.factors + k, graph.rank - k, graph.pitch};
  };
  if (k < first.rank) {
    Scalar* const stage = t + padded * static_cast<std::size_t>(first.rank - k) * width_of<Scalar, Bytes>;
    gather_block<Bytes>(others(first), i, count, work, padded, t, stage);
  }
  scatter_block<Bytes>(others(second), count, m, t, k > 0 ? sums : nullptr, y + static_cast<std::size_t>(i) * columns,
                       static_cast<std::size_t>(n - i) * columns);
}

template <int Bytes, class Scalar>
[[gnu::always_inline]] inline void multiply(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second,
                                            int n, int m, const Scalar* x, Scalar* y, Scalar* unaligned_work) {
  constexpr int block = width_of<Scalar, Bytes>;
  const auto columns = static_cast<std::size_t>(m);
  const std::size_t padded = padded_columns<Scalar>(columns);
  Scalar* work = aligned(unaligned_work);
  Scalar* t = work + static_cast<std::size_t>(n) * padded;
  const bool only_chunks = others_from(first) == first.rank;
  if (!only_chunks) pad_rows<Bytes>(x, n, columns, padded, work);
  for (int i = 0; i < n; i += block) {
    const int count = std::min(block, n - i);
    if constexpr (Bytes > 32) {
      // Half of the lanes would be idle.
      if (2 * count <= block) {
        multiply_block<32>(first, second, i, count, n, m, x, y, work, t);
        continue;
      }
    }
    multiply_block<Bytes>(first, second, i, count, n, m, x, y, work, t);
  }
}

template <class Scalar>
void multiply_plainly(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second, int n, int m,
                      const Scalar* x, Scalar* y, Scalar* work) {
  multiply<32>(first, second, n, m, x, y, work);
}

template <class Scalar>
OCTILE_AVX2 void multiply_avx2(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second, int n, int m,
                               const Scalar* x, Scalar* y, Scalar* work) {
  multiply<32>(first, second, n, m, x, y, work);
}

template <class Scalar>
OCTILE_AVX512 void multiply_avx512(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second, int n, int m,
                                   const Scalar* x, Scalar* y, Scalar* work) {
  multiply<64>(first, second, n, m, x, y, work);
}

template <class Scalar>
std::vector<FactoredProduct<Scalar>> make_products() {
  const Instructions best = available_instructions();
  std::vector<FactoredProduct<Scalar>> products{multiply_plainly<Scalar>};
  if (best >= Instructions::avx2) products.push_back(multiply_avx2<Scalar>);
  if (best >= Instructions::avx512) products.push_back(multiply_avx512<Scalar>);
  return products;
}

template <class Scalar>
void dispatch(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second, int n, int m, const Scalar* x,
              Scalar* y, Scalar* work) {
  static const FactoredProduct<Scalar> product = factored_products<Scalar>().back();
  product(first, second, n, m, x, y, work);
}

}  // namespace

template <class Scalar>
std::span<const FactoredProduct<Scalar>> factored_products() {
  static const std::vector<FactoredProduct<Scalar>> products = make_products<Scalar>();
  return products;
}
template std::span<const FactoredProduct<float>> factored_products();
template std::span<const FactoredProduct<double>> factored_products();

void factored_product(const FactoredRows<float>& first, const FactoredRows<float>& second, int n, int m, const float* x,
                      float* y, float* work) {
  dispatch(first, second, n, m, x, y, work);
}

void factored_product(const FactoredRows<double>& first, const FactoredRows<double>& second, int n, int m,
                      const double* x, double* y, double* work) {
  dispatch(first, second, n, m, x, y, work);
}

}  // namespace octile
