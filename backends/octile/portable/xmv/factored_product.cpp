// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable/xmv/factored_product.hpp>

#include <algorithm>
#include <cstring>

namespace octile::portable {
namespace {

/// A vector of `factored_rows` elements. It is an explicit type because in plain nested loops the compiler would keep
/// the sums in memory.
template <class Scalar>
struct Lanes;
template <>
struct Lanes<float> {
  using Vector [[gnu::vector_size(32)]] = float;
};
template <>
struct Lanes<double> {
  using Vector [[gnu::vector_size(32)]] = double;
};

/// Factors whose sums are in registers at once.
constexpr int factored_ranks = 4;

/// Row i of (A ⊙ φ_k) x for factors k … k + Ranks − 1, on one thread; i is row b of its block:
///
///     t[(j' · rank + k) · rows + b] ← Σ_j A_ij φ_k(e_ij) x_jj'
template <int Ranks, class Scalar>
[[gnu::always_inline]] inline void gather_ranks(const FactoredRows<Scalar>& graph, int i, int k, const Scalar* x,
                                                int padded, Scalar* t, int b) {
  using Vector = typename Lanes<Scalar>::Vector;
  constexpr int width = factored_rows<Scalar>;
  for (int first = 0; first < padded; first += width) {
    Vector sums[static_cast<std::size_t>(Ranks)] = {};
    for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
      const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * static_cast<std::size_t>(graph.rank) + k;
      Vector values;
      std::memcpy(&values, x + static_cast<std::size_t>(graph.columns[e]) * static_cast<std::size_t>(padded) + first,
                  sizeof(Vector));
      for (int r = 0; r < Ranks; ++r) sums[r] += factors[r] * values;
    }
    Scalar* column =
        t +
        (static_cast<std::size_t>(first) * static_cast<std::size_t>(graph.rank) + static_cast<std::size_t>(k)) * width +
        b;
    for (int w = 0; w < width; ++w) {
      for (int r = 0; r < Ranks; ++r) column[(w * graph.rank + r) * width] = sums[r][w];
    }
  }
}

/// The first stage: row i for all factors.
template <class Scalar>
[[gnu::always_inline]] inline void gather_row(const FactoredRows<Scalar>& graph, int i, const Scalar* x, int padded,
                                              Scalar* t, int b) {
  int k = 0;
  for (; k + factored_ranks <= graph.rank; k += factored_ranks) {
    gather_ranks<factored_ranks>(graph, i, k, x, padded, t, b);
  }
  switch (graph.rank - k) {
    case 3: return gather_ranks<3>(graph, i, k, x, padded, t, b);
    case 2: return gather_ranks<2>(graph, i, k, x, padded, t, b);
    case 1: return gather_ranks<1>(graph, i, k, x, padded, t, b);
    default: return;
  }
}

/// The second stage, for one row i' of G' and a block of rows of G:
///
///     sums[b] ← Σ_j' Σ_k A'_i'j' φ_k(e'_i'j') t[(j' · rank + k) · rows + b]
template <class Scalar>
[[gnu::always_inline]] inline void scatter_row(const FactoredRows<Scalar>& graph, int i, const Scalar* t,
                                               Scalar* sums) {
  using Vector = typename Lanes<Scalar>::Vector;
  constexpr int width = factored_rows<Scalar>;
  // Several independent sums, since successive additions to one sum would wait for each other.
  Vector parts[static_cast<std::size_t>(factored_ranks)] = {};
  const auto rank = static_cast<std::size_t>(graph.rank);
  const auto add = [](Vector& part, Scalar factor, const Scalar* row) {
    Vector values;
    std::memcpy(&values, row, sizeof(Vector));
    part += factor * values;
  };
  for (std::uint32_t e = graph.row_begin[i]; e < graph.row_begin[i + 1]; ++e) {
    const Scalar* row = t + static_cast<std::size_t>(graph.columns[e]) * rank * width;
    const Scalar* factors = graph.factors + static_cast<std::size_t>(e) * rank;
    int left = graph.rank;
    for (; left >= factored_ranks; left -= factored_ranks, factors += factored_ranks, row += factored_ranks * width) {
      for (int c = 0; c < factored_ranks; ++c) add(parts[c], factors[c], row + c * width);
    }
    if (left > 0) add(parts[0], factors[0], row);
    if (left > 1) add(parts[1], factors[1], row + width);
    if (left > 2) add(parts[2], factors[2], row + 2 * width);
  }
  const Vector sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  std::memcpy(sums, &sum, sizeof(Vector));
}

template <class Scalar>
[[gnu::always_inline]] inline void multiply(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second,
                                            int n, int m, const Scalar* x, Scalar* y, Scalar* work) {
  constexpr int block = factored_rows<Scalar>;
  const auto columns = static_cast<std::size_t>(m);
  const std::size_t padded = padded_columns<Scalar>(columns);
  Scalar* t = work + static_cast<std::size_t>(n) * padded;
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    Scalar* end = std::copy_n(x + j * columns, m, work + j * padded);
    std::fill_n(end, padded - columns, Scalar(0));
  }
  for (int i = 0; i < n; i += block) {
    const int count = std::min(block, n - i);
    for (int b = 0; b < count; ++b) gather_row(first, i + b, work, static_cast<int>(padded), t, b);
    for (int i_second = 0; i_second < m; ++i_second) {
      Scalar sums[static_cast<std::size_t>(block)];
      scatter_row(second, i_second, t, sums);
      for (int b = 0; b < count; ++b) y[static_cast<std::size_t>(i + b) * columns + i_second] = sums[b];
    }
  }
}

#if defined(__x86_64__)
template <class Scalar>
[[gnu::target("avx2,fma")]] void multiply_avx2(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second,
                                               int n, int m, const Scalar* x, Scalar* y, Scalar* work) {
  multiply(first, second, n, m, x, y, work);
}

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
template <class Scalar>
void multiply_avx2(const FactoredRows<Scalar>&, const FactoredRows<Scalar>&, int, int, const Scalar*, Scalar*,
                   Scalar*) {}

bool has_avx2() { return false; }
#endif

template <class Scalar>
void dispatch(const FactoredRows<Scalar>& first, const FactoredRows<Scalar>& second, int n, int m, const Scalar* x,
              Scalar* y, Scalar* work) {
  static const bool avx2 = has_avx2();
  if (avx2) return multiply_avx2(first, second, n, m, x, y, work);
  multiply(first, second, n, m, x, y, work);
}

}  // namespace

void factored_product(const FactoredRows<float>& first, const FactoredRows<float>& second, int n, int m, const float* x,
                      float* y, float* work) {
  dispatch(first, second, n, m, x, y, work);
}

void factored_product(const FactoredRows<double>& first, const FactoredRows<double>& second, int n, int m,
                      const double* x, double* y, double* work) {
  dispatch(first, second, n, m, x, y, work);
}

}  // namespace octile::portable
