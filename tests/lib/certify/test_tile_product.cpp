// SPDX-License-Identifier: BSD-3-Clause
// Products of a tile with vectors: against plain sums, for every width, with rows and columns that fill no vector.
#include <doctest/doctest.h>

#include <octile/certify/tile_product.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

using namespace octile;

namespace {

std::vector<double> waves(std::size_t count, double rate) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = 0.3 + std::sin(rate * static_cast<double>(k + 1));
  return values;
}

template <class Value>
void check(std::size_t rows, std::size_t columns, std::size_t width, bool transposed) {
  CAPTURE(rows);
  CAPTURE(columns);
  CAPTURE(width);
  CAPTURE(transposed);
  const std::vector<double> numbers = waves(rows * columns, 0.7);
  const std::vector<Value> values(numbers.begin(), numbers.end());
  const std::vector<double> of_rows = waves(rows * width, 1.1);
  const std::vector<double> of_columns = waves(columns * width, 1.3);
  // Products are added to what is there.
  std::vector<double> product_of_rows = waves(rows * width, 0.2);
  std::vector<double> product_of_columns = waves(columns * width, 0.4);
  std::vector<double> expected_of_rows = product_of_rows;
  std::vector<double> expected_of_columns = product_of_columns;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t c = 0; c < width; ++c) {
        const auto k = static_cast<double>(values[i * columns + j]);
        expected_of_rows[i * width + c] += k * of_columns[j * width + c];
        if (transposed) expected_of_columns[j * width + c] += k * of_rows[i * width + c];
      }
    }
  }
  add_tile_products(values.data(), {rows, columns, width, of_rows.data(), of_columns.data(), product_of_rows.data(),
                                    transposed ? product_of_columns.data() : nullptr});
  const auto near = [](const std::vector<double>& found, const std::vector<double>& expected) {
    bool all = found.size() == expected.size();
    for (std::size_t k = 0; k < found.size(); ++k) all = all && std::abs(found[k] - expected[k]) <= 1e-11;
    return all;
  };
  CHECK(near(product_of_rows, expected_of_rows));
  CHECK(near(product_of_columns, expected_of_columns));
}

}  // namespace

TEST_CASE("a tile's products are those of plain sums") {
  for (const std::size_t width : {1, 2, 4, 8}) {
    for (const std::size_t rows : {1, 3, 4, 5, 11}) {
      for (const std::size_t columns : {1, 2, 7, 8, 9, 33, 512, 517}) {
        for (const bool transposed : {false, true}) {
          check<float>(rows, columns, width, transposed);
          check<double>(rows, columns, width, transposed);
        }
      }
    }
  }
}

TEST_CASE("columns are taken by as many as there are, or a few more") {
  for (const auto& [columns, taken] : {std::pair{1, 1}, {2, 2}, {3, 4}, {5, 8}, {100, 8}}) {
    CHECK(columns_at_once(columns) == taken);
  }
}
