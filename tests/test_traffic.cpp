// SPDX-License-Identifier: BSD-3-Clause
// The dense primitives count their own operations, loads and stores, by running on a scalar and a label that count,
// and the counts are the paper's formulas (its table of counts, and the listings of its appendix), to the last one.
#include <octile/pair_system.hpp>
#include <octile/register_blocking.hpp>
#include <octile/shared_tiling.hpp>
#include <octile/tiling_blocking.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "graphs.hpp"

namespace {

using namespace octile;
using namespace octile::portable;

struct Counts {
  std::int64_t global_loads = 0;
  std::int64_t global_stores = 0;
  std::int64_t shared_loads = 0;
  std::int64_t shared_stores = 0;
  std::int64_t exchanges = 0;
  bool operator==(const Counts&) const = default;
};

Counts weights;               ///< moves of elements of F bytes: weights, x and y
Counts labels;                ///< moves of elements of E bytes
std::int64_t operations = 0;  ///< of the paper's X, all of them

/// A number that counts the operations on it.
struct Real {
  double value = 0;
  Real() = default;
  explicit Real(double number) : value(number) {}
  Real& operator+=(const Real& other) {
    ++operations;
    value += other.value;
    return *this;
  }
};

Real operator*(const Real& a, const Real& b) {
  ++operations;
  return Real(a.value * b.value);
}

struct Length {
  double value = 0;
};

/// A base kernel of five operations: subtract, square, scale, subtract, square.
struct CountedKernel {
  template <class T>
  Real evaluate(const Length& a, const Length& b) const {
    operations += kernel_operations;
    const double difference = a.value - b.value;
    const double wave = 1 - 0.5 * difference * difference;
    return Real(wave * wave);
  }
  static constexpr int kernel_operations = 5;
};

/// X: what one element of the product costs: κe, three products, one sum.
constexpr std::int64_t operations_an_element = CountedKernel::kernel_operations + 4;

}  // namespace

template <>
struct octile::portable::Meter<Real> {
  static void global_load() { ++weights.global_loads; }
  static void global_store() { ++weights.global_stores; }
  static void shared_load() { ++weights.shared_loads; }
  static void shared_store() { ++weights.shared_stores; }
  static void exchange() { ++weights.exchanges; }
};

template <>
struct octile::portable::Meter<Length> {
  static void global_load() { ++labels.global_loads; }
  static void global_store() { ++labels.global_stores; }
  static void shared_load() { ++labels.shared_loads; }
  static void shared_store() { ++labels.shared_stores; }
  static void exchange() { ++labels.exchanges; }
};

namespace {

using Space = Kokkos::Serial;

/// What a primitive reads of a pair's system.
struct Sizes {
  int n;
  int m;
  int first_graph = 0;
  int second_graph = 1;
};

/// Runs one product of two complete graphs of n and m vertices, and leaves its counts.
template <template <class, class, class, int, int, int> class Primitive>
void count(int n, int m, int t, int r) {
  const std::vector<Graph> graphs{test::bare("first", n, test::complete_edges(n)),
                                  test::bare("second", m, test::complete_edges(m))};
  const auto matrices =
      dense_matrices<Real, Length>(Space(), graphs, [](std::size_t, std::size_t) { return Length{0.5}; });
  const Primitive<Real, Length, Space::memory_space, 1, 0, 0> xmv(matrices, t, r);
  const std::vector<Real> x(static_cast<std::size_t>(n * m), Real(1));
  std::vector<Real> y(static_cast<std::size_t>(n * m));
  const std::size_t bytes = xmv.scratch_bytes();
  Kokkos::TeamPolicy<Space> policy(1, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes + TeamScratch::alignment)));
  weights = {};
  labels = {};
  operations = 0;
  Kokkos::parallel_for(policy, [&](const Kokkos::TeamPolicy<Space>::member_type& member) {
    xmv.apply(member, Sizes{n, m}, CountedKernel{}, x.data(), y.data(), TeamScratch::of(member, bytes));
  });
  CHECK(y[0].value == (n - 1) * (m - 1));
}

struct Case {
  std::int64_t n;
  std::int64_t m;
  std::int64_t t;
  std::int64_t r;
};

/// Sizes that t and r divide: elsewhere the formulas are off by the tiles at the edge.
const std::vector<Case>& cases() {
  static const std::vector<Case> list{{24, 48, 4, 4},   {24, 48, 8, 8},  {24, 48, 8, 4},  {48, 24, 4, 8},
                                      {48, 48, 16, 8},  {48, 48, 8, 24}, {48, 24, 24, 8}, {48, 96, 16, 16},
                                      {24, 48, 24, 24}, {48, 48, 24, 4}};
  return list;
}

/// What stages, or streams, tiles of t × r: loads of A, once a column of tiles of G', and of A' (line "GlobalLoad" of
/// both listings).
std::int64_t tile_loads(const Case& c) { return c.n * c.n * c.m / c.t + c.n * c.n * c.m * c.m / (c.r * c.t); }

}  // namespace

TEST_CASE("shared tiling moves what the paper counts") {
  for (const Case& c : cases()) {
    CAPTURE(c.t);
    CAPTURE(c.r);
    const std::int64_t all = c.n * c.n * c.m * c.m;
    count<SharedTiling>(static_cast<int>(c.n), static_cast<int>(c.m), static_cast<int>(c.t), static_cast<int>(c.r));
    CHECK(operations == all * operations_an_element);
    CHECK(weights == Counts{tile_loads(c) + all / (c.t * c.t), c.n * c.m, all / c.r + 2 * all,
                            tile_loads(c) + all / (c.t * c.t), 0});
    CHECK(labels == Counts{tile_loads(c), 0, all / c.r + all, tile_loads(c), 0});
  }
}

TEST_CASE("register blocking moves what the paper counts") {
  for (const Case& c : cases()) {
    CAPTURE(c.t);
    CAPTURE(c.r);
    const std::int64_t all = c.n * c.n * c.m * c.m;
    count<RegisterBlocking>(static_cast<int>(c.n), static_cast<int>(c.m), static_cast<int>(c.t), static_cast<int>(c.r));
    CHECK(operations == all * operations_an_element);
    CHECK(weights == Counts{tile_loads(c) + all / (c.t * c.t), c.n * c.m, all, all / (c.t * c.t), 0});
    CHECK(labels == Counts{tile_loads(c), 0, 0, 0, 0});
  }
}

TEST_CASE("tiling-blocking moves what the paper counts, and exchanges x as often as it multiplies") {
  for (const Case& c : cases()) {
    if (c.t % c.r != 0) continue;
    CAPTURE(c.t);
    CAPTURE(c.r);
    const std::int64_t all = c.n * c.n * c.m * c.m;
    const std::int64_t tiles = c.n * c.n * c.m / c.t + all / (c.t * c.t);
    count<TilingBlocking>(static_cast<int>(c.n), static_cast<int>(c.m), static_cast<int>(c.t), static_cast<int>(c.r));
    CHECK(operations == all * operations_an_element);
    CHECK(weights == Counts{tiles + all / (c.t * c.t), c.n * c.m, all / c.t + all / c.r, tiles, all});
    CHECK(labels == Counts{tiles, 0, all / c.t + all / c.r, tiles, 0});
  }
}
