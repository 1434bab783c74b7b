// SPDX-License-Identifier: BSD-3-Clause
// The other native CUDA kernels without a GPU: slices, octiles, and factors of pairs of any size.
#include "backends/cuda/emulated/device.hpp"

#include <octile/base_kernels.hpp>
#include <octile/cuda/layout/gaussian_factors.hpp>
#include <octile/cuda/products/distributed_slices.cuh>
#include <octile/cuda/typed/edge_kernels.cuh>
#include <octile/cuda/typed/kernels.cuh>
#include <octile/cuda/typed/lowered_edges.cuh>
#include <octile/pairs/prices.hpp>

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/cuda/emulated/checks.hpp"
#include "common/many_records.hpp"

using namespace octile;
using namespace octile::emulated;
using namespace octile::test;

namespace {

/// How a set is laid out and multiplied by `solve_pairs`.
struct Method {
  Lowering lowering = Lowering::on_the_fly;
  cuda::Layout layout{};
  cuda::OctileChoice choice{};
  bool projected = false;
  bool sums_first = false;  ///< there are `FirstTerms`, which are to be checked too
};

/// A shape of `solve_pairs`.
template <cuda::Product Kind, int Threads, int K, cuda::VectorPlace Where>
struct Tier {
  static constexpr cuda::Product kind = Kind;
  template <class Set, class EdgeKernel>
  static Solved solve(const Set& set, const EdgeKernel& edge_kernel, const Launch& launch, const Method& method) {
    return set.template solve_pairs<Threads, K, Where>(edge_kernel, launch, method.choice);
  }
};

/// Checks both systems of pairs, solved by the kernel of a shape: right values and solutions, and the same bits in another order of threads.
template <int Threads, int K, cuda::VectorPlace Where = cuda::VectorPlace::registers>
void check_both(std::size_t rows, std::size_t columns) {
  CAPTURE(Threads);
  const Pairs of(rows, columns, true);
  const KernelSpec kernel = kernel_of("delta(order,0.5)");
  const NativeSet<cuda::Product::slices, std::uint32_t> set(of.graphs, kernel, Lowering::on_the_fly, {}, record_of,
                                                            options());
  const cuda::FastDelta delta{static_cast<float>(set.plan().lowered.edge.program[0].parameter)};
  const auto solve = [&](Order order) {
    return set.template solve_both<Threads, K, Where>(delta, Launch{of.pairs, order});
  };
  const std::array<Solved, 2> solved = solve(Order::forwards);
  const std::array<Solved, 2> again = solve(Order::backwards);
  const std::array sides{RightHandSide::stopping, RightHandSide::starting};
  for (std::size_t side = 0; side < 2; ++side) {
    CAPTURE(side);
    const Expected expected(of, kernel, sides[side]);
    for (std::size_t k = 0; k < of.pairs.size(); ++k) {
      CAPTURE(k);
      const PairResult& result = solved[side].results[k];
      CHECK(result.status == Status::converged);
      CHECK(relative_error(result.value, expected.results[k].value) <= tolerance::value(Precision::float32));
    }
    CHECK(relative_error(solved[side].nodewise, expected.nodewise) <=
          tolerance::nodewise_with_hubs(Precision::float32));
    check_equal_bits(solved[side], again[side]);
  }
}

/// A shape of `SliceProduct`.
template <int Warps, int Rounds, int Columns>
struct SliceTier {
  static constexpr cuda::Product kind = cuda::Product::slices;
  template <class Set, class EdgeKernel>
  static Solved solve(const Set& set, const EdgeKernel& edge_kernel, const Launch& launch, const Method&) {
    using Near = std::is_same<EdgeKernel, cuda::FastSquareExponential>;
    using Walked = std::conditional_t<Near::value, cuda::NearSquareExponential, EdgeKernel>;
    return set.template solve_distributed<cuda::SliceProduct<typename Set::Set, Walked, Warps, Rounds, Columns>>(
        edge_kernel, launch);
  }
};

/// Checks a shape. `make(plan)` gives the edge kernel, `read(plan, g, e)` the labels.
template <class Tier, class Label, class Read, class Make>
void check_tier(const Pairs& of, const char* edge, const Method& method, const Read& read, const Make& make,
                const char* vertex = "delta(kind,0.4)") {
  CAPTURE(std::string(edge));
  const KernelSpec kernel = kernel_of(edge, vertex);
  const NativeSet<Tier::kind, Label> set(of.graphs, kernel, method.lowering, method.layout, read, options());
  CAPTURE(set.plan().report);
  const auto solve = [&](const Launch& launch) { return Tier::solve(set, make(set.plan()), launch, method); };
  if (method.projected) {
    check_starts(of, kernel, solve);
  } else {
    check_solves(of, kernel, solve);
  }
  if (method.sums_first) {
    CHECK(set.has_first_terms());
    check_first_sums(of, solve);
  }
}

/// A shape of `solve_pairs` with κv formed pair by pair.
template <cuda::Product Kind, int Threads, int K, cuda::VectorPlace Where>
struct TierByPair {
  static constexpr cuda::Product kind = Kind;
  template <class Set, class EdgeKernel>
  static Solved solve(const Set& set, const EdgeKernel& edge_kernel, const Launch& launch, const Method&) {
    return set.template solve_by_pair<Threads, K, Where>(edge_kernel, launch);
  }
};

double parameter_of(const plan::LoweringPlan& plan) { return plan.lowered.edge.program[0].parameter; }

/// Checks a shape with each kind of edge kernel that is evaluated by element.
template <class Tier>
void check_elements(std::size_t rows, std::size_t columns, const Method& method = {}) {
  const Pairs of(rows, columns, true);
  check_tier<Tier, NoLabel>(
      of, "0.75", method, [](const plan::LoweringPlan&, std::size_t, std::size_t) { return NoLabel{}; },
      [](const plan::LoweringPlan& plan) {
        return cuda::FastConstant{static_cast<float>(plan.lowered.edge_constant())};
      });
  check_tier<Tier, std::uint32_t>(of, "delta(order,0.5)", method, record_of, [](const plan::LoweringPlan& plan) {
    return cuda::FastDelta{static_cast<float>(parameter_of(plan))};
  });
  check_tier<Tier, float>(
      of, "gaussian(length,0.3)", method,
      [](const plan::LoweringPlan& plan, std::size_t g, std::size_t e) {
        return cuda::FastSquareExponential::stored(plan.lowered.edge_number(g, e), parameter_of(plan));
      },
      [](const plan::LoweringPlan&) { return cuda::FastSquareExponential{}; });
  Method by_table = method;
  by_table.lowering = Lowering::table;
  using Table = cuda::FastTable<Kokkos::HostSpace>;
  check_tier<Tier, std::uint32_t>(
      of, "delta(order,0.5)*delta(bond,0.8)", by_table, record_of, [](const plan::LoweringPlan& plan) {
        return Table(typename Table::Table(Kokkos::DefaultHostExecutionSpace(), plan.lowered.edge));
      });
}

/// Checks the product of factors for pairs of any size.
template <int Chunk, cuda::VectorPlace Where>
void check_any_size(const char* edge) {
  using Edges = cuda::FactoredEdges<Chunk>;
  Method method{Lowering::factored};
  method.layout.factored = {nullptr, Chunk, false};
  check_tier<Tier<cuda::Product::factored, 256, 0, Where>, std::uint32_t>(
      Pairs(33, 70, true), edge, method, record_of, [](const plan::LoweringPlan&) { return Edges(); });
}

}  // namespace

TEST_CASE("slices agree with double, with vectors in registers, in shared and in global memory") {
  using cuda::VectorPlace;
  constexpr cuda::Product slices = cuda::Product::slices;
  check_elements<Tier<slices, 32, 8, VectorPlace::registers>>(16, 16);
  check_elements<Tier<slices, 64, 12, VectorPlace::registers>>(24, 32);
  check_elements<Tier<slices, 128, 16, VectorPlace::registers>>(64, 32);
  check_elements<Tier<slices, 1024, 9, VectorPlace::registers>>(90, 96);
  check_elements<Tier<slices, 512, 0, VectorPlace::shared>>(33, 40);
  check_elements<Tier<slices, 512, 0, VectorPlace::global>>(40, 33);
}

TEST_CASE(
    "slices with a Gaussian agree with double where the first product is a sum, for one vertex id and for several") {
  using cuda::VectorPlace;
  Method method;
  method.sums_first = true;
  const Pairs of(33, 70, true);
  const auto stored = [](const plan::LoweringPlan& plan, std::size_t g, std::size_t e) {
    return cuda::FastSquareExponential::stored(plan.lowered.edge_number(g, e) - 0.5, parameter_of(plan));
  };
  const auto make = [](const plan::LoweringPlan&) { return cuda::FastSquareExponential{}; };
  for (const char* vertex : {"1", "delta(kind,0.4)"}) {
    check_tier<Tier<cuda::Product::slices, 512, 0, VectorPlace::shared>, float>(of, "gaussian(length,0.5)", method,
                                                                                stored, make, vertex);
    check_tier<Tier<cuda::Product::slices, 512, 0, VectorPlace::global>, float>(of, "gaussian(length,0.3)", method,
                                                                                stored, make, vertex);
  }
}

TEST_CASE(
    "after two steps x and y are those of products alone where the first product is a sum, one system behind the "
    "other") {
  const Pairs of(33, 70, true);
  for (const char* vertex : {"1", "delta(kind,0.4)"}) {
    CAPTURE(std::string(vertex));
    const KernelSpec kernel = kernel_of("gaussian(length,0.5)", vertex);
    const SolveOptions two_steps{1e-9, 2};
    const NativeSet<cuda::Product::slices, float> set(
        of.graphs, kernel, Lowering::on_the_fly, {},
        [](const plan::LoweringPlan& plan, std::size_t g, std::size_t e) {
          return cuda::FastSquareExponential::stored(plan.lowered.edge_number(g, e) - 0.5, parameter_of(plan));
        },
        two_steps);
    REQUIRE(set.has_first_terms());
    CHECK(!set.has_first_terms_within(0));
    const auto solve = [&](bool sums_first) {
      return set.template solve_both<512, 0, cuda::VectorPlace::shared>(
          cuda::FastSquareExponential{},
          Launch{of.pairs, Order::forwards, false, RightHandSide::stopping, 0, sums_first});
    };
    const std::array<Solved, 2> summed = solve(true);
    const std::array<Solved, 2> plain = solve(false);
    for (std::size_t side = 0; side < 2; ++side) {
      CAPTURE(side);
      constexpr double rounding = 2e-6;
      CHECK(summed[side].nodewise != plain[side].nodewise);
      CHECK(relative_error(summed[side].nodewise, plain[side].nodewise) <= rounding);
      for (std::size_t k = 0; k < of.pairs.size(); ++k) {
        CAPTURE(k);
        CHECK(summed[side].results[k].iterations == plain[side].results[k].iterations);
        CHECK(relative_error(summed[side].results[k].value, plain[side].results[k].value) <= rounding);
      }
    }
  }
}

TEST_CASE("factors of a Gaussian are exact to what is asked for, between all numbers of a range, or there are none") {
  for (const double largest : {0.0, 0.1, 1.5, 4.4, 21.0}) {
    CAPTURE(largest);
    constexpr double error = 1e-7;
    const auto factors = cuda::gaussian_factors(largest, error, 128);
    REQUIRE(factors.has_value());
    const std::size_t rank = factors->points.size();
    const auto of = [&](double x) {
      std::vector<double> values(rank);
      for (std::size_t k = 0; k < rank; ++k) {
        const double far = x - factors->points[k];
        double value = std::exp2(-far * far);
        for (std::size_t l = 0; l < k; ++l) value -= factors->lower[k * rank + l] * values[l];
        values[k] = value / factors->lower[k * rank + k];
      }
      return values;
    };
    double most = 0;
    for (int a = -50; a <= 50; ++a) {
      const std::vector<double> first = of(largest * a / 50);
      for (int b = -49; b <= 49; ++b) {
        const double y = largest * b / 49.3;
        const std::vector<double> second = of(y);
        const double far = largest * a / 50 - y;
        const double sum = std::inner_product(first.begin(), first.end(), second.begin(), 0.0);
        most = std::max(most, std::abs(sum - std::exp2(-far * far)));
      }
    }
    CHECK(most <= error);
    CHECK(!cuda::gaussian_factors(largest, error, rank - 1).has_value());
  }
  CHECK(!cuda::gaussian_factors(1e6, 1e-7, 64).has_value());
  CHECK(!cuda::gaussian_factors(std::nan(""), 1e-7, 64).has_value());
  // Few edges, or many vertex ids: the product takes less.
  const auto factors_of = [](std::size_t entries, std::size_t ids) {
    cuda::SetSizes set;
    set.vertices = {10, 30};
    set.row_elements = {10 * entries, 30 * entries};
    set.largest_label = 1.5;
    return cuda::factors_for_first(set, ids);
  };
  CHECK(factors_of(10, 8).has_value());
  CHECK(!factors_of(2, 8).has_value());
  CHECK(!factors_of(100, 33).has_value());
  CHECK(!factors_of(10, 0).has_value());
  CHECK(!cuda::factors_for_first({}, 8).has_value());
}

TEST_CASE("both systems of a pair, solved side by side, agree with double") {
  check_both<32, 8>(16, 16);
  check_both<64, 12>(24, 32);
  check_both<128, 16>(64, 32);
  check_both<512, 12>(60, 96);
  check_both<512, 18>(64, 100);
  check_both<1024, 9>(90, 96);
}

namespace {

/// The steps of `cuda::iterate_both` for (M − N) x = b with a matrix of three rows.
struct SmallSteps {
  static constexpr int n = 3;
  struct Residuals {
    cuda::Two norms;
    cuda::Two rho;
  };

  std::array<cuda::Two, n> right;
  std::array<float, n> diagonal{2, 3, 4};
  float off = -0.9F;  ///< every other element of M − N
  std::array<cuda::Two, n> x{}, r{}, p{}, q{};

  Residuals begin() {
    r = right;
    for (std::size_t i = 0; i < n; ++i) p[i] = (1 / diagonal[i]) * r[i];
    return residuals();
  }
  void apply() {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = diagonal[i] * p[i];
      for (std::size_t j = 0; j < n; ++j) q[i] += (i == j ? 0.0F : off) * p[j];
    }
  }
  cuda::Two curvature() const {
    cuda::Two sum{0, 0};
    for (std::size_t i = 0; i < n; ++i) sum += p[i] * q[i];
    return sum;
  }
  Residuals step(const cuda::Two& alpha) {
    for (std::size_t i = 0; i < n; ++i) r[i] = r[i] - alpha * q[i];
    return residuals();
  }
  void advance(const cuda::Two& alpha, const cuda::Two& beta) {
    leave(alpha);
    for (std::size_t i = 0; i < n; ++i) p[i] = (1 / diagonal[i]) * r[i] + beta * p[i];
  }
  void leave(const cuda::Two& alpha) {
    for (std::size_t i = 0; i < n; ++i) x[i] += alpha * p[i];
  }
  Residuals residuals() const {
    Residuals all{{0, 0}, {0, 0}};
    for (std::size_t i = 0; i < n; ++i) {
      const cuda::Two z = (1 / diagonal[i]) * r[i];
      all.norms += z * z;
      all.rho += r[i] * z;
    }
    return all;
  }
};

}  // namespace

TEST_CASE("two systems side by side end where the product of their residuals is small, and neither hinders the other") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto solve = [](SmallSteps& steps, double tolerance, float farther, int most = 100) {
    return cuda::iterate_both(steps, {tolerance, most, true}, farther);
  };
  for (const float farther : {1.0F, 4.0F}) {
    CAPTURE(farther);
    for (const double tolerance : {0.3, 1e-2, 1e-5}) {
      CAPTURE(tolerance);
      SmallSteps steps{{{{1, 3}, {2, 1}, {3, -1}}}};
      const cuda::BothResults found = solve(steps, tolerance, farther);
      CHECK(found.x.status == Status::converged);
      CHECK(found.y.status == Status::converged);
      CHECK(found.x.residual * found.y.residual <= 1.0001 * tolerance * tolerance);
      CHECK(std::max(found.x.residual, found.y.residual) <= 1.0001 * double(farther) * tolerance);
      CHECK(found.x.iterations == found.y.iterations);
    }
  }
  SmallSteps exact{{{{1, 3}, {2, 1}, {3, -1}}}};
  solve(exact, 1e-6, 1);
  for (std::size_t i = 0; i < SmallSteps::n; ++i) {
    cuda::Two product = exact.diagonal[i] * exact.x[i];
    for (std::size_t j = 0; j < SmallSteps::n; ++j) product += (i == j ? 0.0F : exact.off) * exact.x[j];
    CHECK(product.x == doctest::Approx(exact.right[i].x).epsilon(1e-4));
    CHECK(product.y == doctest::Approx(exact.right[i].y).epsilon(1e-4));
  }
  for (const float bad : {0.0F, nan, 1e-30F}) {
    CAPTURE(bad);
    SmallSteps steps{{{{1, bad}, {2, bad}, {3, bad}}}};
    const cuda::BothResults found = solve(steps, 1e-4, 4);
    CHECK(found.x.status == Status::converged);
    CHECK(found.x.residual <= 1.0001e-4);
    CHECK(found.y.status == Status::breakdown);
  }
  // One that is solved by its first step stays where it is.
  SmallSteps at_once{{{{1, 1}, {2, 0}, {3, 0}}}};
  at_once.off = 0;
  at_once.diagonal = {2, 2, 2};
  CHECK(solve(at_once, 1e-5, 4).x.status == Status::converged);
  CHECK(solve(at_once, 1e-5, 4).y.status == Status::converged);
  SmallSteps few{{{{1, 3}, {2, 1}, {3, -1}}}};
  const cuda::BothResults limited = solve(few, 1e-6, 4, 1);
  CHECK(limited.x.status == Status::iteration_limit);
  CHECK(limited.y.status == Status::iteration_limit);
  CHECK(limited.x.iterations == 1);
  SmallSteps indefinite{{{{1, 1}, {1, -1}, {1, 0}}}};
  indefinite.off = -5;
  CHECK(solve(indefinite, 1e-6, 4).x.status == Status::breakdown);
}

TEST_CASE("both systems of a pair, solved one behind the other, agree with double") {
  check_both<512, 0, cuda::VectorPlace::shared>(33, 41);
  check_both<512, 0, cuda::VectorPlace::global>(41, 33);
}

TEST_CASE("slices agree with double, with edge kernels that are run step by step") {
  using cuda::VectorPlace;
  constexpr cuda::Product slices = cuda::Product::slices;
  const auto check_programs = []<class Tier>(std::type_identity<Tier>, std::size_t rows, std::size_t columns) {
    Method method;
    method.lowering = Lowering::on_the_fly;
    for (const char* edge :
         {"matern(length,0.3,0.5)", "wendland(length,0.9)", "rational(length,0.3,1)*delta(order,0.5)"}) {
      check_tier<Tier, std::uint32_t>(
          Pairs(rows, columns, true), edge, method, record_of, [](const plan::LoweringPlan& plan) {
            return cuda::FastProgram<Kokkos::HostSpace>(Kokkos::DefaultHostExecutionSpace(), plan.lowered.edge);
          });
    }
  };
  check_programs(std::type_identity<Tier<slices, 32, 8, VectorPlace::registers>>(), 16, 16);
  check_programs(std::type_identity<Tier<slices, 512, 0, VectorPlace::global>>(), 20, 33);
}

TEST_CASE("slices agree with double, with two vectors in registers and two in shared memory") {
  check_elements<SliceTier<8, 12, 3>>(96, 96);
  check_elements<SliceTier<4, 16, 2>>(63, 64);
}

TEST_CASE("slices start from projected systems") {
  Method method;
  method.projected = true;
  check_elements<SliceTier<4, 16, 2>>(63, 64, method);
}

TEST_CASE("octiles agree with double, dense and sparse, compact and not") {
  using cuda::VectorPlace;
  constexpr cuda::Product octiles = cuda::Product::octiles;
  for (const PrimitiveFamily family : {PrimitiveFamily::adaptive, PrimitiveFamily::dense_dense,
                                       PrimitiveFamily::dense_sparse, PrimitiveFamily::sparse_sparse}) {
    CAPTURE(primitive_info(family).name);
    Method method;
    method.choice = {family, native_thresholds(true), {}};
    check_elements<Tier<octiles, 64, 16, VectorPlace::registers>>(31, 33, method);
    method.layout.expanded = true;
    method.choice.steps.compact = false;
    check_elements<Tier<octiles, 128, 0, VectorPlace::global>>(17, 24, method);
  }
}

TEST_CASE("factors of pairs of any size agree with double, in shared and in global memory") {
  using cuda::VectorPlace;
  check_any_size<1, VectorPlace::shared>("0.75");
  check_any_size<1, VectorPlace::global>("0.75");
  check_any_size<3, VectorPlace::shared>("gaussian(length,0.3)");
  check_any_size<3, VectorPlace::global>("gaussian(length,0.3)");
}

TEST_CASE(
    "more vertex records than a table has: values agree with the reference, by every place of vectors and by factors") {
  using cuda::VectorPlace;
  Pairs of(12, 11, true);
  of.graphs = graphs_of_many_records(3400, 20);
  of.pairs = {{0, 1}, {3399, 17}, {5, 5}, {1700, 3000}};
  const KernelSpec kernel = kernel_of("1", many_records_kernel);
  CHECK(lower(of.graphs, kernel.vertex, LabelSite::vertex).record_count > UINT16_MAX);
  constexpr cuda::Product slices = cuda::Product::slices;
  const auto check_delta = [&]<class Tier>(std::type_identity<Tier>) {
    check_tier<Tier, std::uint32_t>(
        of, "delta(order,0.5)", {}, record_of,
        [](const plan::LoweringPlan& plan) { return cuda::FastDelta{static_cast<float>(parameter_of(plan))}; },
        many_records_kernel);
  };
  check_delta(std::type_identity<TierByPair<slices, 32, 16, VectorPlace::registers>>());
  check_delta(std::type_identity<TierByPair<slices, 64, 12, VectorPlace::registers>>());
  check_delta(std::type_identity<TierByPair<slices, 512, 0, VectorPlace::shared>>());
  check_delta(std::type_identity<TierByPair<slices, 512, 0, VectorPlace::global>>());
  Method factored{Lowering::factored};
  factored.layout.factored = {nullptr, 1, false};
  check_tier<TierByPair<cuda::Product::factored, 256, 0, VectorPlace::shared>, std::uint32_t>(
      of, "1", factored, record_of, [](const plan::LoweringPlan&) { return cuda::FactoredEdges<1>(); },
      many_records_kernel);
}

namespace {

template <class Label, class EdgeKernel, class VertexKernel = cuda::VertexTable>
constexpr bool element_kernels_match() {
  using SliceSet = cuda::ProductSet<cuda::Product::slices, std::uint32_t, Label, Kokkos::HostSpace>;
  using OctileSet = cuda::ProductSet<cuda::Product::octiles, std::uint32_t, Label, Kokkos::HostSpace>;
  using Slices = cuda::SliceKernels<SliceSet, VertexKernel, EdgeKernel>;
  using Blocks = cuda::OctileKernels<OctileSet, VertexKernel, EdgeKernel, true>;
  using Warps = cuda::OctileKernels<OctileSet, VertexKernel, EdgeKernel, false>;
  return Slices::List::match(Slices::tiers) && Blocks::List::match(Blocks::tiers) && Warps::List::match(Warps::tiers);
}

template <class EdgeKernel>
constexpr bool factored_kernels_match() {
  using Set = cuda::ProductSet<cuda::Product::factored, std::uint32_t, std::uint32_t, Kokkos::HostSpace>;
  using Kernels = cuda::FactoredKernels<Set, cuda::VertexTable, EdgeKernel>;
  return Kernels::List::match(Kernels::tiers);
}

}  // namespace

TEST_CASE("the plan's tiers have the sizes that the kernels' types say") {
  struct Point {
    double x, y, z;
  };
  CHECK(element_kernels_match<NoLabel, cuda::FastConstant>());
  CHECK(element_kernels_match<std::uint32_t, cuda::FastDelta>());
  CHECK(element_kernels_match<std::uint32_t, cuda::FastTable<Kokkos::HostSpace>>());
  CHECK(element_kernels_match<float, cuda::FastSquareExponential>());
  CHECK(element_kernels_match<std::uint32_t, cuda::FastProgram<Kokkos::HostSpace>>());
  CHECK(element_kernels_match<Point, cuda::TypedKernel<KroneckerDelta, Point>, KroneckerDelta>());
  CHECK(factored_kernels_match<cuda::FactoredEdges<3>>());
  CHECK(factored_kernels_match<cuda::FactoredEdges<1, false>>());
  CHECK(factored_kernels_match<cuda::FactoredEdges<1, true>>());
}
