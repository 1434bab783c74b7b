// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/rotated_factors.hpp>

#include <octile/base/instructions.hpp>
#include <octile/base/lanes.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

namespace octile {
namespace {

/// No memory is taken for it.
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_rotated, most_rotated>;

/// Entries that are looked at, about.
constexpr std::size_t most_sampled = 2048;
/// Columns that are formed at once, in registers.
constexpr int columns_at_once = 16;

/// Σ (A_ij / d_i)² φ_k φ_l of some rows, for l ≤ k, in `sums` of rows of `most_rotated` numbers.
void add_products(const EntryFactors& factors, const EntryRows& rows, double* sums) {
  const std::size_t entries = rows.count > 0 ? rows.begin[rows.count] - rows.begin[0] : 0;
  const std::size_t step = (entries + most_sampled - 1) / most_sampled;
  for (std::size_t number = 0; number * step < rows.count && step > 0; ++number) {
    // Not each time the same vertex of graphs of one size.
    const std::size_t row = number * step + number % step;
    if (row >= rows.count) break;
    const double inverse = rows.degrees[row] > 0 ? 1 / rows.degrees[row] : 0;
    for (std::uint32_t r = rows.begin[row]; r < rows.begin[row + 1]; ++r) {
      const double* const values = factors.values + r * factors.pitch;
      for (int k = 0; k < factors.count; ++k) {
        const double scaled = inverse * inverse * values[k];
        double* const of_factor = sums + k * most_rotated;
        for (int l = 0; l <= k; ++l) of_factor[l] += scaled * values[l];
      }
    }
  }
}

/// Σ_k (A_ij φ_k)² of an entry, by four sums.
[[gnu::always_inline]] inline double squares_of(const double* values, int count) {
  std::array<double, 4> sums{};
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    for (int s = 0; s < 4; ++s) sums[static_cast<std::size_t>(s)] += values[k + s] * values[k + s];
  }
  for (; k < count; ++k) sums[0] += values[k] * values[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// `rotate_factors` of one entry and `columns_at_once` columns from `first` on. Adds A_ij √λ_ij to `left` of their prefixes, and takes what
/// these columns have from `squares`, λ_ij before them times A_ij².
template <int Bytes>
[[gnu::always_inline]] inline void rotate_entry(const double* values, int count, const double* rotation, int first,
                                                int kept, float* to, double& squares, double* left) {
  constexpr int width = width_of<double, Bytes>;
  constexpr int vectors = columns_at_once / width;
  VectorOf<double, Bytes> sums[static_cast<std::size_t>(vectors)] = {};
  for (int k = 0; k < count; ++k) {
    const double* const row = rotation + k * most_rotated + first;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sums[v] += values[k] * load<Bytes>(row + v * width);
  }
  std::array<double, columns_at_once> psi;
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) store<Bytes>(psi.data() + v * width, sums[v]);
  const int columns = std::min(kept - first, columns_at_once);
  for (int c = 0; c < columns; ++c) to[first + c] = static_cast<float>(psi[static_cast<std::size_t>(c)]);
  for (int c = 0; c < columns; c += rotated_step) {
    squares -= squares_of(psi.data() + c, rotated_step);
    left[(first + c) / rotated_step] += std::sqrt(std::max(squares, 0.0));
  }
}

template <int Bytes>
[[gnu::always_inline]] inline void rotate_row(const EntryFactors& factors, const double* rotation, std::size_t begin,
                                              std::size_t end, int kept, float* to, double* left) {
  std::fill_n(left, prefixes_of(kept), 0.0);
  for (std::size_t r = begin; r < end; ++r) {
    const double* const values = factors.values + r * factors.pitch;
    double squares = squares_of(values, factors.count);
    float* const row = to + r * static_cast<std::size_t>(kept);
    for (int first = 0; first < kept; first += columns_at_once) {
      rotate_entry<Bytes>(values, factors.count, rotation, first, kept, row, squares, left);
    }
  }
}

void rotate_plainly(const EntryFactors& factors, const double* rotation, std::size_t begin, std::size_t end, int kept,
                    float* to, double* left) {
  rotate_row<32>(factors, rotation, begin, end, kept, to, left);
}

OCTILE_AVX2 void rotate_avx2(const EntryFactors& factors, const double* rotation, std::size_t begin, std::size_t end,
                             int kept, float* to, double* left) {
  rotate_row<32>(factors, rotation, begin, end, kept, to, left);
}

OCTILE_AVX512 void rotate_avx512(const EntryFactors& factors, const double* rotation, std::size_t begin,
                                 std::size_t end, int kept, float* to, double* left) {
  rotate_row<64>(factors, rotation, begin, end, kept, to, left);
}

auto rotate_by(Instructions instructions) {
  if (instructions == Instructions::avx512) return rotate_avx512;
  return instructions == Instructions::avx2 ? rotate_avx2 : rotate_plainly;
}

}  // namespace

void find_rotation(const EntryFactors& factors, const EntryRows& rows, int kept, double* rotation, double* left) {
  const int count = factors.count;
  std::fill_n(rotation, static_cast<std::size_t>(count) * most_rotated, 0.0);
  if (count == 0) return;
  std::array<double, rotation_size> sums{};
  add_products(factors, rows, sums.data());
  const Square products =
      Eigen::Map<const Eigen::Matrix<double, most_rotated, most_rotated, Eigen::RowMajor>>(sums.data())
          .topLeftCorner(count, count)
          .selfadjointView<Eigen::Lower>();
  Eigen::SelfAdjointEigenSolver<Square> solver(Square::Identity(count, count));
  const bool found = products.allFinite() && solver.compute(products).info() == Eigen::Success;
  const double all = products.trace();
  double squares = 0;
  for (int c = count - 1; c >= 0; --c) {
    const int place = count - 1 - c;  // the largest first
    for (int k = 0; k < count && c < kept; ++k) {
      rotation[k * most_rotated + c] = found ? solver.eigenvectors()(k, place) : (k == c ? 1.0 : 0.0);
    }
    if (!found) {
      left[c] = std::numeric_limits<double>::infinity();
      continue;
    }
    squares += solver.eigenvalues()(place) * solver.eigenvalues()(place);
    left[c] = all > 0 ? std::sqrt(squares) / all : 0;
  }
}

void rotate_factors(const EntryFactors& factors, const double* rotation, std::size_t begin, std::size_t end, int kept,
                    float* to, double* left) {
  static const auto rotate = rotate_by(available_instructions());
  rotate(factors, rotation, begin, end, kept, to, left);
}

}  // namespace octile
