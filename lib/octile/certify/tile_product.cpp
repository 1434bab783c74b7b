// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/tile_product.hpp>

#include <octile/base/instructions.hpp>
#include <octile/base/lanes.hpp>

#include <algorithm>

namespace octile {
namespace {

/// Rows whose sums are in registers at once, and columns of them that are converted to double before.
constexpr int rows_at_once = 4;
constexpr std::size_t strip = 512;

/// The products of some rows with vectors of `Width` columns: a number of K is a factor of two vectors.
template <int Width, int Rows, bool Transposed, class Value>
[[gnu::always_inline]] inline void add_rows(const Value* values, std::size_t begin, std::size_t end, std::size_t row,
                                            const TileOperands& tile) {
  constexpr int bytes = Width * static_cast<int>(sizeof(double));
  using Vector = VectorOf<double, bytes>;
  double k[Rows][strip];
  for (int r = 0; r < Rows; ++r) {
    const Value* const from = values + (row + static_cast<std::size_t>(r)) * tile.columns + begin;
    for (std::size_t j = 0; j < end - begin; ++j) k[r][j] = static_cast<double>(from[j]);
  }
  Vector sums[Rows] = {};
  Vector left[Rows];
  const double* const of_rows = tile.of_rows + row * Width;
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) left[r] = load<bytes>(of_rows + r * Width);
  const double* right = tile.of_columns + begin * Width;
  double* product = Transposed ? tile.product_of_columns + begin * Width : nullptr;
  for (std::size_t j = 0; j < end - begin; ++j, right += Width) {
    const Vector v = load<bytes>(right);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) sums[r] += k[r][j] * v;
    if constexpr (Transposed) {
      Vector sum = load<bytes>(product);
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) sum += k[r][j] * left[r];
      store<bytes>(product, sum);
      product += Width;
    }
  }
  double* const to = tile.product_of_rows + row * Width;
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) store<bytes>(to + r * Width, load<bytes>(to + r * Width) + sums[r]);
}

/// The products of one row of K with vectors of one column: a SIMD vector holds several numbers of that row.
template <bool Transposed, class Value>
[[gnu::always_inline]] inline void add_row(const Value* values, std::size_t row, const TileOperands& tile) {
  constexpr int bytes = 64;
  constexpr std::size_t width = width_of<double, bytes>;
  using Vector = VectorOf<double, bytes>;
  const Value* const from = values + row * tile.columns;
  const double left = tile.of_rows[row];
  Vector sums{};
  double rest = 0;
  std::size_t j = 0;
  for (; j + width <= tile.columns; j += width) {
    double converted[width];
    for (std::size_t l = 0; l < width; ++l) converted[l] = static_cast<double>(from[j + l]);
    const Vector k = load<bytes>(converted);
    sums += k * load<bytes>(tile.of_columns + j);
    if constexpr (Transposed) {
      double* const product = tile.product_of_columns + j;
      store<bytes>(product, load<bytes>(product) + k * left);
    }
  }
  for (; j < tile.columns; ++j) {
    const auto k = static_cast<double>(from[j]);
    rest += k * tile.of_columns[j];
    if constexpr (Transposed) tile.product_of_columns[j] += k * left;
  }
  for (std::size_t l = 0; l < width; ++l) rest += sums[l];
  tile.product_of_rows[row] += rest;
}

template <int Width, bool Transposed, class Value>
[[gnu::always_inline]] inline void add_all(const Value* values, const TileOperands& tile) {
  for (std::size_t begin = 0; begin < tile.columns; begin += strip) {
    const std::size_t end = std::min(begin + strip, tile.columns);
    std::size_t row = 0;
    for (; row + rows_at_once <= tile.rows; row += rows_at_once) {
      add_rows<Width, rows_at_once, Transposed>(values, begin, end, row, tile);
    }
    for (; row < tile.rows; ++row) add_rows<Width, 1, Transposed>(values, begin, end, row, tile);
  }
}

template <bool Transposed, class Value>
[[gnu::always_inline]] inline void add_tile(const Value* values, const TileOperands* tile) {
  switch (tile->width) {
    case 8: return add_all<8, Transposed>(values, *tile);
    case 4: return add_all<4, Transposed>(values, *tile);
    case 2: return add_all<2, Transposed>(values, *tile);
    default:
      for (std::size_t row = 0; row < tile->rows; ++row) add_row<Transposed>(values, row, *tile);
  }
}

template <class Value>
void add_products(const Value* values, const TileOperands& tile) {
  static const Instructions instructions = available_instructions();
  const auto product = tile.product_of_columns != nullptr ? Compiled<add_tile<true, Value>>::by(instructions)
                                                          : Compiled<add_tile<false, Value>>::by(instructions);
  product(values, &tile);
}

}  // namespace

void add_tile_products(const double* values, const TileOperands& operands) { add_products(values, operands); }
void add_tile_products(const float* values, const TileOperands& operands) { add_products(values, operands); }

}  // namespace octile
