// SPDX-License-Identifier: BSD-3-Clause
// The primitives run on a scalar and a label that count operations, and for the dense primitives loads and stores. The
// counts must equal the formulas (xmv_counts.hpp) exactly.
#include <octile/base_kernels.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/pairs/system.hpp>
#include <octile/plan/xmv_counts.hpp>
#include <octile/portable/paper/register_blocking.hpp>
#include <octile/portable/paper/shared_tiling.hpp>
#include <octile/portable/paper/tiling_blocking.hpp>
#include <octile/portable/xmv/octiles.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/graphs.hpp"

namespace {

using namespace octile;
using namespace octile::portable;

plan::Moves weights;          ///< moves of elements of F bytes: weights, x and y
plan::Moves labels;           ///< moves of elements of E bytes
std::int64_t operations = 0;  ///< all operations of the kind that the paper's X counts

/// A number that counts the operations on it.
struct Real {
  double value = 0;
  Real() = default;
  explicit Real(double number) : value(number) {}
  explicit operator double() const { return value; }
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

/// A meter that counts into `Counts`.
template <plan::Moves& Counts>
struct Counter {
  static void global_load() { ++Counts.global_loads; }
  static void global_store() { ++Counts.global_stores; }
  static void shared_load() { ++Counts.shared_loads; }
  static void shared_store() { ++Counts.shared_stores; }
  static void exchange() { ++Counts.exchanges; }
};

}  // namespace

template <>
struct octile::portable::Meter<Real> : Counter<weights> {};
template <>
struct octile::portable::Meter<Length> : Counter<labels> {};

namespace {

using Space = Kokkos::Serial;

/// The part of a pair's system that a primitive reads.
struct Sizes {
  int n;
  int m;
  int first_graph = 0;
  int second_graph = 1;
};

/// Runs one product of two complete graphs of n and m vertices; its counts are in the variables above.
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
  int n;
  int m;
  int t;
  int r;
};

/// Sizes that t and r divide. For others the formulas differ by the tiles at the edge.
const std::vector<Case>& cases() {
  static const std::vector<Case> list{{24, 48, 4, 4},   {24, 48, 8, 8},  {24, 48, 8, 4},  {48, 24, 4, 8},
                                      {48, 48, 16, 8},  {48, 48, 8, 24}, {48, 24, 24, 8}, {48, 96, 16, 16},
                                      {24, 48, 24, 24}, {48, 48, 24, 4}};
  return list;
}

template <template <class, class, class, int, int, int> class DensePrimitive>
void check(PrimitiveFamily family) {
  for (const Case& c : cases()) {
    if (family == PrimitiveFamily::tiling_blocking && c.t % c.r != 0) continue;
    CAPTURE(c.t);
    CAPTURE(c.r);
    count<DensePrimitive>(c.n, c.m, c.t, c.r);
    const plan::ElementMoves moves = plan::dense_moves({family, c.t, c.r}, c.n, c.m);
    const plan::XmvCounts counts = plan::dense_counts({family, c.t, c.r}, c.n, c.m, {operations_an_element, 4, 4});
    CHECK(static_cast<double>(operations) == counts.operations);
    CHECK(weights == moves.weights);
    CHECK(labels == moves.labels);
  }
}

/// Runs one product of two graphs of 16 vertices by an octile primitive. Of the octiles (0, 1) and (1, 0) the first
/// has `population` elements in G and the second in G', and so have their mirror images; the others are empty.
void count_octiles(PrimitiveFamily family, int population, int population_second) {
  const auto graph = [](std::string name, int elements) {
    std::vector<Edge> edges;
    edges.reserve(static_cast<std::size_t>(elements));
    for (int k = 0; k < elements; ++k) edges.push_back({k / 8, 8 + k % 8, 1});
    return test::bare(std::move(name), 16, edges);
  };
  const std::vector<Graph> graphs{graph("first", population), graph("second", population_second)};
  const auto set = pack_octiles<Real, NoLabel, Length>(
      Space(), graphs, Stopping::parse("probability:0.05"), [](std::size_t, std::size_t) { return NoLabel{}; },
      [](std::size_t, std::size_t) { return Length{0.5}; });
  const OctileXmv<Real, Length, 1, 1> xmv(family, adaptive_thresholds(false, true));
  const PairSystem system(set, Constant(), {0, 1});
  const std::vector<Real> x(256, Real(1));
  std::vector<Real> y(256);
  const std::size_t bytes = xmv.scratch_bytes();
  Kokkos::TeamPolicy<Space> policy(1, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes + TeamScratch::alignment)));
  operations = 0;
  Kokkos::parallel_for(policy, [&](const Kokkos::TeamPolicy<Space>::member_type& member) {
    xmv.apply(member, system, CountedKernel{}, x.data(), y.data(), TeamScratch::of(member, bytes));
  });
}

}  // namespace

TEST_CASE("shared tiling moves what the paper counts") { check<SharedTiling>(PrimitiveFamily::shared_tiling); }

TEST_CASE("register blocking moves what the paper counts") {
  check<RegisterBlocking>(PrimitiveFamily::register_blocking);
}

TEST_CASE("tiling-blocking moves what the paper counts, and exchanges x as often as it multiplies") {
  check<TilingBlocking>(PrimitiveFamily::tiling_blocking);
}

TEST_CASE("octile primitives take what is dense as 64 elements, and else those that are there") {
  const int four_pairs = 4;  // (0, 1) and (1, 0) of both graphs
  for (const PrimitiveFamily family :
       {PrimitiveFamily::dense_dense, PrimitiveFamily::dense_sparse, PrimitiveFamily::sparse_sparse}) {
    for (const std::pair<int, int>& populations :
         {std::pair(1, 64), std::pair(7, 9), std::pair(64, 64), std::pair(12, 3)}) {
      const int p = populations.first;
      const int q = populations.second;
      CAPTURE(p);
      CAPTURE(q);
      count_octiles(family, p, q);
      const TakenAsDense dense = taken_as_dense(family, {}, p, q);
      // The sum is in double, whose additions nothing counts.
      CHECK(static_cast<double>(operations) ==
            four_pairs * plan::octile_operations(dense.first, dense.second, p, q, operations_an_element - 1));
    }
  }
}

TEST_CASE("for many tiles a row the counts of the dense primitives are the paper's") {
  const ElementCost element{9, 4, 8};
  const double many = 24 * 1e6;
  for (const Primitive& primitive : all_primitives()) {
    if (!primitive_info(primitive.family).dense) continue;
    CAPTURE(primitive.name());
    const plan::XmvCounts ours = plan::dense_counts(primitive, many, many, element);
    const plan::XmvCounts paper = plan::paper_counts(primitive, many, many, element);
    CHECK(ours.operations == paper.operations);
    CHECK(ours.bytes.global_stores == doctest::Approx(paper.bytes.global_stores));
    CHECK(ours.bytes.shared_loads == doctest::Approx(paper.bytes.shared_loads));
    CHECK(ours.bytes.shared_stores == doctest::Approx(paper.bytes.shared_stores));
    CHECK(ours.bytes.global_loads == doctest::Approx(paper.bytes.global_loads));
    CHECK(plan::paper_intensity(primitive, element).global == doctest::Approx(ours.global_intensity()));
  }
}
