// SPDX-License-Identifier: BSD-3-Clause
// The factored product of a CPU against its sum, written out, at numbers of factors, rows and columns around those of a vector.
#include <octile/certify/factored_product.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;

namespace {

/// Random rows, some of them empty, with random factors, behind which there may be more numbers.
template <class Scalar>
struct Rows {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<Scalar> factors;
  int rank;
  int pitch;

  Rows(int vertices, int rank_, int pitch_, Scalar behind, test::Random& random) : rank(rank_), pitch(pitch_) {
    for (int i = 0; i < vertices; ++i) {
      for (int j = 0; j < vertices && i % 5 != 3; ++j) {
        if (random.below(2) == 0) continue;
        columns.push_back(static_cast<std::uint32_t>(j));
        for (int k = 0; k < pitch; ++k) {
          factors.push_back(k < rank ? static_cast<Scalar>(random.uniform() - 0.3) : behind);
        }
      }
      begin.push_back(static_cast<std::uint32_t>(columns.size()));
    }
  }

  FactoredRows<Scalar> view() const { return {begin.data(), columns.data(), factors.data(), rank, pitch}; }
  double factor(std::uint32_t element, int k) const {
    return static_cast<double>(factors[element * static_cast<std::size_t>(pitch) + static_cast<std::size_t>(k)]);
  }
};

template <class Scalar>
void check(int n, int m, int rank, int pitch, Scalar behind = 0) {
  CAPTURE(pitch);
  CAPTURE(n);
  CAPTURE(m);
  CAPTURE(rank);
  test::Random random(static_cast<std::uint64_t>(n + 100 * m + 10000 * rank));
  const Rows<Scalar> first(n, rank, pitch, behind, random);
  const Rows<Scalar> second(m, rank, pitch, behind, random);
  const auto columns = static_cast<std::size_t>(m);
  const std::size_t size = static_cast<std::size_t>(n) * columns;
  std::vector<Scalar> x(size);
  for (Scalar& value : x) value = static_cast<Scalar>(random.uniform());
  const std::size_t room = factored_work<Scalar>(static_cast<std::size_t>(n), columns, static_cast<std::size_t>(rank));
  const auto by = [&](const auto& product, std::size_t offset) {
    // Room that is read before it is written would show, and a number behind it that is written.
    constexpr auto unwritten = std::numeric_limits<Scalar>::quiet_NaN();
    std::vector<Scalar> y(size, unwritten);
    std::vector<Scalar> work(offset + room, unwritten);
    work.push_back(77);
    product(first.view(), second.view(), n, m, x.data(), y.data(), work.data() + offset);
    CHECK(work.back() == 77);
    return y;
  };
  using Product = FactoredProduct<Scalar>;
  const std::vector<Scalar> y = by(Product(factored_product), 0);
  const auto products = factored_products<Scalar>();
  const std::vector<Scalar> fused = by(products[products.size() > 1 ? 1 : 0], 0);
  for (std::size_t version = 0; version < products.size(); ++version) {
    for (const std::size_t offset : {0U, 1U, 3U}) {
      CAPTURE(version);
      const std::vector<Scalar> found = by(products[version], offset);
      for (std::size_t e = 0; e < size; ++e) {
        if (version > 0) CHECK(found[e] == fused[e]);
        CHECK(std::abs(found[e] - y[e]) <=
              1000 * std::numeric_limits<Scalar>::epsilon() * std::max(std::abs(y[e]), Scalar(1)));
      }
    }
  }

  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      double sum = 0;
      double size_of_terms = 0;
      for (std::uint32_t e = first.begin[i]; e < first.begin[i + 1]; ++e) {
        for (std::uint32_t f = second.begin[k]; f < second.begin[k + 1]; ++f) {
          const auto value = static_cast<double>(x[first.columns[e] * columns + second.columns[f]]);
          for (int t = 0; t < rank; ++t) {
            sum += first.factor(e, t) * second.factor(f, t) * value;
            size_of_terms += std::abs(first.factor(e, t) * second.factor(f, t) * value);
          }
        }
      }
      const double roundings = 64 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
      CHECK(std::abs(static_cast<double>(y[i * columns + k]) - sum) <= roundings * std::max(size_of_terms, 1e-3));
    }
  }
}

}  // namespace

TEST_CASE("a factored product is its sum, for numbers of factors, rows and columns around those of a vector") {
  for (const int rank : {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 17, 20, 25}) {
    for (const int n : {1, 4, 7, 9, 16, 17, 25}) {
      for (const int m : {1, 3, 4, 8, 9, 17, 32, 33}) {
        check<float>(n, m, rank, rank);
        check<double>(n, m, rank, rank);
      }
    }
  }
}

TEST_CASE("a factored product takes no numbers that lie behind the factors") {
  for (const int rank : {1, 3, 8, 13, 18}) {
    check<float>(18, 21, rank, 20, 0.7F);
    check<double>(18, 21, rank, 20, 0.7);
  }
}
