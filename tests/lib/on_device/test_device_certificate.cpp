// SPDX-License-Identifier: BSD-3-Clause
// Certificates and derivatives where a device forms them: the same as on the host, in any vertex order.
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/base/unit_roundoff.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/error.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/kernels/leaf_rounding.hpp>
#include <octile/on_device/edges.hpp>
#include <octile/pairs/attribute_kernel.hpp>
#include <octile/start.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "common/device_certificates.hpp"
#include "common/graphs.hpp"
#include "common/kernels.hpp"
#include "common/many_records.hpp"
#include "common/sanitized.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// Rough solutions of both systems, which are numbers of float times a scale.
struct Rough {
  static constexpr double scale = 2.7;
  std::vector<std::size_t> begin{0};
  std::vector<double> x;
  std::vector<double> y;

  Rough(const std::vector<Graph>& graphs, const KernelSpec& kernel, std::span<const Pair> pairs) {
    const auto solver = make_pair_solver(BackendId::portable_serial, graphs, kernel, Precision::float64, {1e-3, 2000});
    for (const Pair& pair : pairs) begin.push_back(begin.back() + solver->unknowns(pair));
    const auto solved = [&](RightHandSide side) {
      std::vector<double> solutions(begin.back());
      std::vector<PairResult> results(pairs.size());
      solver->solve(Request{pairs, side, std::span(begin).first(pairs.size())}, Answer{results, solutions});
      for (double& value : solutions)
        value = scale * static_cast<double>(static_cast<float>(std::max(value, 0.0) / scale));
      return solutions;
    };
    x = solved(RightHandSide::stopping);
    y = solved(RightHandSide::starting);
  }
};

std::vector<VertexOrder> orders_of(const std::vector<Graph>& graphs) {
  std::vector<VertexOrder> orders;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const VertexOrder order = random_order(graphs[g].vertex_count(), g + 1);
    // An empty order keeps that of the graph.
    orders.emplace_back(order.begin(), g % 3 == 0 ? order.begin() : order.end());
  }
  return orders;
}

/// The solutions in the order of the device's vertices.
std::vector<double> ordered(const Rough& rough, const std::vector<double>& solutions, std::span<const Pair> pairs,
                            const std::vector<Graph>& graphs, const std::vector<VertexOrder>& orders) {
  std::vector<double> all(solutions.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto place = [&](std::int32_t graph, std::size_t v) {
      return vertex_at(orders[static_cast<std::size_t>(graph)], v);
    };
    const auto n = static_cast<std::size_t>(graphs[static_cast<std::size_t>(pairs[k].first)].vertex_count());
    const auto m = static_cast<std::size_t>(graphs[static_cast<std::size_t>(pairs[k].second)].vertex_count());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        all[rough.begin[k] + i * m + j] =
            solutions[rough.begin[k] + place(pairs[k].first, i) * m + place(pairs[k].second, j)];
      }
    }
  }
  return all;
}

/// 1/κv of listed pairs, whose vertices stand in these orders.
void form_reciprocals(const std::vector<Graph>& graphs, const ExactSet& exact, const std::vector<VertexOrder>& orders,
                      const Array<Pair, Space::memory_space>& pairs,
                      const Array<std::size_t, Space::memory_space>& begin, double* reciprocals) {
  std::vector<std::uint32_t> vertex_begin{0};
  std::vector<std::uint32_t> records;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    for (std::size_t k = 0; k < exact.vertex_kernel().ids(g).size(); ++k) {
      records.push_back(exact.vertex_kernel().ids(g)[vertex_at(orders[g], k)]);
    }
    vertex_begin.push_back(static_cast<std::uint32_t>(records.size()));
  }
  const LoweredKernel& vertex = exact.vertex_kernel().lowered();
  const AttributeKernel<Space::memory_space> kernel(Space(), vertex, AttributeTables(vertex));
  reciprocals_of_pairs(Space(), kernel,
                       ListedPairs<Space::memory_space>{on_device(vertex_begin), on_device(records), pairs.data(),
                                                        begin.data(), pairs.extent(0)},
                       reciprocals);
}

/// A probability of stopping with which 1 − q has few digits.
constexpr double nearly_one = 1 - 1e-12;

/// Checks the device's certificates, of trials in double or in float with scales, against the host's; without `both`, y is left out
/// where it is proportional to x.
template <class Scalar>
void check_trials(const std::vector<Graph>& graphs, const KernelSpec& kernel, bool both, bool by_pair, bool derivatives,
                  const UnknownByFactors& allowed = {}) {
  constexpr bool scaled = std::is_same_v<Scalar, float>;
  const std::vector<Pair> pairs = pairs_from_both_ends(graphs);
  Rough rough(graphs, kernel, pairs);
  const ExactSet exact(graphs, kernel, derivatives, allowed);
  const std::vector<VertexOrder> orders = orders_of(graphs);
  const DeviceCertificates device(Space(), exact, orders, std::vector<double>(graphs.size(), 1.0));
  const std::vector<double> x = ordered(rough, rough.x, pairs, graphs, orders);
  const std::vector<double> y = ordered(rough, rough.y, pairs, graphs, orders);
  std::vector<TrialValues<Scalar>> trials(x.size());
  for (std::size_t k = 0; k < trials.size(); ++k) {
    const auto stored = [](double value) { return static_cast<Scalar>(scaled ? value / Rough::scale : value); };
    trials[k] = {stored(x[k]), both ? stored(y[k]) : std::numeric_limits<Scalar>::quiet_NaN()};
  }
  const auto scales = on_device(std::vector<TrialValues<double>>(pairs.size(), {Rough::scale, Rough::scale}));
  const auto values = on_device(trials);
  const auto begin = on_device(rough.begin);
  const auto listed = on_device(pairs);
  std::vector<PairResult> before(pairs.size());
  for (PairResult& result : before) {
    result.status = Status::converged;
    result.iterations = 3;
  }
  const auto results = on_device(before);
  const auto adjoints = on_device(before);
  const auto reciprocals = on_device(std::vector<double>(by_pair ? trials.size() : 0));
  if (by_pair) form_reciprocals(graphs, exact, orders, listed, begin, reciprocals.data());
  const DeviceTrials<Scalar> given{listed.data(),
                                   begin.data(),
                                   values.data(),
                                   both,
                                   scaled ? scales.data() : nullptr,
                                   by_pair ? reciprocals.data() : nullptr};
  // Derivatives are of walks of any length.
  const std::size_t parameters = derivatives && kernel.shortest_walk == 0 ? exact.parameter_count() : 0;
  const auto rows = on_device(std::vector<double>(pairs.size() * (parameters + 1), std::nan("")));
  const SlopeRows slopes = parameters > 0 ? SlopeRows{rows.data(), parameters + 1} : SlopeRows{};
  device.certify(Space(), given, pairs.size(), false, results.data(), both ? adjoints.data() : nullptr, slopes);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results);
  const auto found_slopes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
  EvaluationSpace space;
  std::vector<double> expected_slopes(parameters);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    CAPTURE(k);
    const std::size_t size = rough.begin[k + 1] - rough.begin[k];
    const std::span<double> own_x = std::span(rough.x).subspan(rough.begin[k], size);
    std::vector<double> own_y(rough.y.begin() + static_cast<std::ptrdiff_t>(rough.begin[k]),
                              rough.y.begin() + static_cast<std::ptrdiff_t>(rough.begin[k + 1]));
    if (!both) {
      const double factor = exact.adjoint_factor(pairs[k]);
      REQUIRE(factor > 0);
      std::ranges::transform(own_x, own_y.begin(), [factor](double value) { return factor * value; });
    }
    const Evaluation expected = exact.evaluate(pairs[k], {own_x, own_y}, space, expected_slopes);
    const PairResult& result = found(k);
    const std::size_t row = k * (parameters + 1);
    const bool cancels = kernel.stopping.q() == nearly_one;
    for (std::size_t t = 0; t < parameters && !cancels; ++t) {
      CAPTURE(t);
      // Of trials in float they are formed in float in part, and are as exact as these.
      constexpr double share = std::is_same_v<Scalar, float> ? 2e-6 : 1e-11;
      CHECK(found_slopes(row + t) == doctest::Approx(expected_slopes[t]).epsilon(share).scale(0.01));
      if (expected_slopes[t] == 0) CHECK(found_slopes(row + t) == 0);  // such as of graphs without edges
    }
    if (cancels) {
      CHECK(found_slopes(row + parameters) > 1e-4);
    } else if (parameters > 0) {
      CHECK(found_slopes(row + parameters) == doctest::Approx(expected.of_slopes).epsilon(1e-3).scale(1e-8));
    }
    if (allowed.x > 0) CHECK(result.residual >= expected.worst_x * (1 - 1e-12));
    CHECK(result.iterations == (both ? 6 : 3));
    if (kernel.shortest_walk == 1) {
      // A device may take walks of no step off K, where the host counts the others alone, which proves more.
      const double all = result.error_bound * result.value + expected.value.bound * expected.value.value;
      CHECK_FALSE(std::abs(result.value - expected.value.value) > all);
      CHECK(result.error_bound >= expected.value.bound * (1 - 1e-3) - std::max(1e-13, allowed.x));
      CHECK(result.residual == doctest::Approx(expected.worst_x).epsilon(1e-6).scale(std::max(1e-6, 2e6 * allowed.x)));
      continue;
    }
    // Without a scale, Approx allows a share of 1, which is more than these numbers.
    CHECK(result.value == doctest::Approx(expected.value.value).epsilon(std::max(1e-13, allowed.x)).scale(0.01));
    CHECK(result.residual == doctest::Approx(expected.worst_x).epsilon(1e-6).scale(std::max(1e-6, 2e6 * allowed.x)));
    CHECK(std::isfinite(result.error_bound) == std::isfinite(expected.value.bound));
    if (std::isfinite(result.error_bound)) {
      CHECK(result.error_bound ==
            doctest::Approx(expected.value.bound).epsilon(1e-3).scale(std::max(1e-10, 1e4 * allowed.x)));
    }
  }
}

void check(const std::vector<Graph>& graphs, const KernelSpec& kernel, bool both, bool by_pair = false,
           bool derivatives = true) {
  check_trials<float>(graphs, kernel, both, by_pair, derivatives);
  check_trials<double>(graphs, kernel, both, by_pair, derivatives);
}

}  // namespace

TEST_CASE(
    "powers of 2 by their series are off by two roundoffs at most, as kernels are taken to be, and stay above 0") {
  const detail::SquareExponentialEdges edges(LeafArguments{}, nullptr);
  for (double t = -1019; t <= 0; t += t < -3 ? 0.37 : 0.00013) {
    CHECK(std::abs(edges.power_of_2(t) / std::exp2(static_cast<long double>(t)) - 1) <= of_function * unit_roundoff);
  }
  CHECK(edges.power_of_2(-2000) == 0x1p-1020);
}

TEST_CASE(
    "a device certifies as the host does, by every kind of kernel, from uneven starts and without walks of no step") {
  std::size_t c = 0;
  for (const KernelCase& one : kernel_cases()) {
    CAPTURE(one.name);
    std::vector<Graph> graphs = small_graphs();
    for (Graph& graph : graphs) {
      std::vector<double> starting(static_cast<std::size_t>(graph.vertex_count()));
      std::iota(starting.begin(), starting.end(), 1.0);
      graph.set_starting_weights(starting);
    }
    KernelSpec kernel = one.spec(stoppings()[c % stoppings().size()]);
    check(graphs, kernel, true);
    kernel.shortest_walk = 1;
    if (c % 3 == 0) check(graphs, kernel, true);
    ++c;
  }
}

TEST_CASE("a device certifies with κv formed pair by pair, of more records than a table has; without, it refuses") {
  const std::vector<Graph> graphs = graphs_of_many_records(300, 20);
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  for (const char* edge : {"1", "delta(order, 0.3)", "gaussian(order, 2)*delta(order, 0.5)"}) {
    const KernelSpec kernel{Expression::parse(many_records_kernel), Expression::parse(edge), stopping};
    check(graphs, kernel, true, true);
  }
  const KernelSpec kernel{Expression::parse(many_records_kernel), Expression::parse("1"), stopping};
  CHECK(ExactSet(graphs, kernel, false).vertex_kernel().lowered().record_count > vertex_table_limit);
  CHECK_THROWS_AS(check(graphs, kernel, true), Error);
}

TEST_CASE("constants that are powers, sums or normalised have their own derivatives") {
  for (const StoppingMeaning meaning : {StoppingMeaning::weight, StoppingMeaning::probability}) {
    for (const char* constant : {"0.6", "power(0.36, 0.5)", "normalize(1)", "normalize(2)", "0.3+0.2"}) {
      CAPTURE(std::string(constant));
      const Stopping stopping(meaning, 0.05);
      check(small_graphs(), {Expression::parse("delta(element, 0.5)"), Expression::parse(constant), stopping}, true);
      check(small_graphs(), {Expression::parse(constant), Expression::parse("delta(order, 0.3)"), stopping}, true);
    }
  }
}

TEST_CASE(
    "derivatives by every parameter of kernels that are sums of products, whose labels are too many for a table") {
  const std::vector<Graph> graphs = {random_graph(45, 0.5, 1), random_graph(31, 0.4, 2), random_graph(12, 0.5, 3)};
  for (const StoppingMeaning meaning : {StoppingMeaning::weight, StoppingMeaning::probability}) {
    for (const char* edge :
         {"0.2+0.3*gaussian(length,0.1)+0.4*matern(length,0.4,1.5)", "gaussian(length,0.4)*delta(order,0.3)",
          "0.2*gaussian(length,0.3)+0.3*gaussian(length,0.9)*delta(order,0.4)+0.1*delta(order,0.7)",
          "0.6*gaussian(length,0.3)*matern(length,0.9,0.5)*delta(order,0.4)+0.3*wendland(length,2,1)",
          "0.1*power(0.2+0.8*gaussian(length,0.3),2)+0.3*rational(length,0.4,2)"}) {
      CAPTURE(std::string(edge));
      const KernelSpec kernel{Expression::parse("0.5*delta(element, 0.5)+0.25"), Expression::parse(edge),
                              Stopping(meaning, 0.05)};
      const ExactSet exact(graphs, kernel, true);
      CHECK_FALSE(exact.edge_kernel().lowered().tabulated());
      check(graphs, kernel, true);
    }
  }
}

TEST_CASE("derivatives by what κv is made of, whose labels are too many for a table") {
  const std::vector<Graph> graphs = graphs_of_many_records(40, 20);
  for (const char* vertex : {"0.2*matern(id,300,2.5)+0.5*gaussian(id,90)", "0.3+0.4*gaussian(id,200)*delta(a0,0.3)",
                             "gaussian(x,3)*delta(a0,0.4)*delta(a1,0.5)"}) {
    CAPTURE(std::string(vertex));
    const KernelSpec kernel{Expression::parse(vertex), Expression::parse("delta(order, 0.3)"),
                            Stopping(StoppingMeaning::probability, 0.05)};
    CHECK_FALSE(ExactSet(graphs, kernel, true).vertex_kernel().lowered().tabulated());
    check(graphs, kernel, true);
  }
}

TEST_CASE("where nearly no walk goes on, derivatives of trials in float are doubted: the sum over steps cancels") {
  const std::vector<Graph> graphs = {random_graph(6, 0.8, 1), random_graph(5, 0.8, 2)};
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("0.5"),
                          Stopping(StoppingMeaning::probability, nearly_one)};
  check_trials<float>(graphs, kernel, true, false, true);
}

TEST_CASE("teams that share pairs of large graphs certify as one does") {
  std::vector<Graph> graphs = {random_graph(110, 0.05, 1), random_graph(97, 0.1, 2), random_graph(2, 1.0, 3),
                               random_graph(64, 0.2, 4)};
  for (const double length : {0.1, 2.0}) {
    const Stopping stopping(StoppingMeaning::probability, 0.05);
    const Expression edge = Expression::parse("gaussian(length, " + std::to_string(length) + ")");
    check(graphs, {Expression::parse("delta(element, 0.5)"), edge, stopping}, true);
  }
}

TEST_CASE(
    "the largest of many numbers by the upper halves of their bits is not below it, and at most a millionth above it") {
  for (const double largest : {0.0, 5e-324, 1e-310, 1e-300, 0.1, 1.0, 1.9999999999, 3e300}) {
    CAPTURE(largest);
    detail::LargestByHalf found;
    found.add(largest * 0.99);
    found.add(largest);
    found.add(largest / 7);
    CHECK(found.bound() >= largest);
    CHECK(found.bound() <= largest * 1.000001 + 1e-300);
  }
  for (const double unbounded : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                                 -std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    detail::LargestByHalf found;
    found.add(unbounded);
    found.add(2.5);
    CHECK(found.bound() == std::numeric_limits<double>::infinity());
  }
}

TEST_CASE("where κe is constant, graphs of up to 128 vertices are certified row by row, others by factors") {
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const auto by_rows = [](const std::vector<Graph>& graphs, const KernelSpec& kernel) {
    const std::vector<double> scales(graphs.size(), 1.0);
    return DeviceCertificates(Space(), ExactSet(graphs, kernel, false), orders_of(graphs), scales).by_rows();
  };
  for (const int most : {96, 128, 129}) {
    CAPTURE(most);
    // Some vertices have more edges than are kept.
    std::vector<Graph> graphs = {random_graph(most, 0.02, 1), random_graph(97, 0.04, 2), random_graph(2, 1.0, 3),
                                 random_graph(65, 0.03, 4)};
    KernelSpec kernel{Expression::parse("delta(element, 0.5)"), Expression::parse("0.7"), stopping};
    CHECK(by_rows(graphs, kernel) == (most <= 128));
    check(graphs, kernel, true);
    kernel.shortest_walk = 1;
    check(graphs, kernel, true);
    Start{Start::Kind::degree}.apply_to(graphs, stopping);
    check(graphs, {kernel.vertex, kernel.edge, stopping}, false);
    graphs.push_back(random_graph(60, 0.9, 5));
    CHECK_FALSE(by_rows(graphs, kernel));
  }
  check(graphs_of_many_records(70, 70), {Expression::parse(many_records_kernel), Expression::parse("1"), stopping},
        true, true);
}

TEST_CASE("a device forms residuals of dense graphs by tiles of factors where that is exact enough") {
  std::vector<Graph> graphs;
  for (const std::int32_t n : {33, 24, 17, 8, 2, 1})
    graphs.push_back(random_graph(n, n > 30 ? 0.4 : 0.9, static_cast<std::uint64_t>(n)));
  // Teams share pairs of larger ones.
  const std::vector<Graph> larger{random_graph(75, 0.12, 1), random_graph(66, 0.14, 2)};
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const auto check_set = [&](const std::vector<Graph>& set, const char* edge, const UnknownByFactors& allowed) {
    CAPTURE(std::string(edge));
    CAPTURE(allowed.x);
    const KernelSpec kernel{Expression::parse("delta(element, 0.5)"), Expression::parse(edge), stopping};
    const ExactSet exact(set, kernel, false, allowed);
    const std::vector<double> scales(set.size(), 1.0);
    // A device alone takes what is allowed on one.
    CHECK_FALSE(exact.by_factors());
    CHECK(DeviceCertificates(Space(), exact, orders_of(set), scales).by_tiles());
    CHECK_FALSE(DeviceCertificates(Space(), ExactSet(set, kernel, false), orders_of(set), scales).by_tiles());
    check_trials<float>(set, kernel, true, false, false, allowed);
    check_trials<double>(set, kernel, true, false, false, allowed);
  };
  const UnknownByFactors coarse{1e-8, 1e-4, true};
  const UnknownByFactors fine{1e-11, 1e-5, true};
  // The second has more than 16 factors.
  for (const char* edge : {"gaussian(length, 0.5)", "gaussian(length, 0.1)"}) {
    check_set(graphs, edge, coarse);
    check_set(graphs, edge, fine);
  }
  check_set(graphs, "0.3+0.7*delta(order,0.5)*gaussian(length,0.6)", coarse);
  check_set(larger, "gaussian(length, 0.5)", fine);
}

TEST_CASE("where walks start as they stop, x suffices") {
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  std::vector<Graph> graphs = small_graphs();
  Start{Start::Kind::degree}.apply_to(graphs, stopping);
  check(graphs, {Expression::parse("delta(element, 0.5)"), Expression::parse("delta(order, 0.3)"), stopping}, false);
}

TEST_CASE(
    "edge kernels over more labels than a table has are evaluated, or taken by factors where vertices have many "
    "edges") {
  // Lengths are random numbers, of which a table takes 512.
  const std::vector<Graph> dense{random_graph(60, 0.3, 1), random_graph(50, 0.4, 2)};
  const std::vector<Graph> sparse{random_graph(260, 0.01, 1), random_graph(250, 0.01, 2)};
  // More ends of edges than a team's scratch has room for.
  const std::vector<Graph> in_parts{random_graph(80, 0.5, 1), random_graph(90, 0.5, 2)};
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const std::vector<std::vector<Graph>> sets{dense, sparse, in_parts};
  const std::vector<std::string> edges{"gaussian(length, 0.5)", "delta(length, 0.5)", "matern(length, 0.5, 0.5)",
                                       "gaussian(length, 0.5)*rational(length, 1, 2)"};
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::vector<Graph>& graphs = sets[s];
    // Derivatives are not formed in parts, and take the host long.
    const bool derivatives = graphs[0].edge_count() < 1000;
    for (std::size_t k = 0; k < edges.size(); ++k) {
      // For the sanitizers one kernel a set: the product for the first.
      if (sanitized && k != (s + 3) % edges.size()) continue;
      const std::string& edge = edges[k];
      CAPTURE(edge);
      CAPTURE(graphs[0].name());
      const KernelSpec kernel{Expression::parse("delta(element, 0.5)"), Expression::parse(edge), stopping};
      CHECK_FALSE(ExactSet(graphs, kernel, false).edge_kernel().lowered().tabulated());
      check(graphs, kernel, true, false, derivatives);
    }
  }
}
