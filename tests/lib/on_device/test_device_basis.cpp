// SPDX-License-Identifier: BSD-3-Clause
// Certificates of trials that are products of bases: the same as the host's of the same trials.
#include <doctest/doctest.h>

#include <octile/backends.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/graphs/vertex_order.hpp>

#include <Eigen/Dense>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "common/device_certificates.hpp"
#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t most_bytes = std::size_t(1) << 30;
constexpr std::array sides{RightHandSide::stopping, RightHandSide::starting};

/// Bases of all graphs, from solutions of their pairs with themselves, and the products of bases nearest to the solutions of pairs, weighted
/// or not.
struct Bases {
  std::vector<Matrix> weights;  ///< χ_t of each graph's vertices, a column each
  std::vector<Pair> pairs;
  std::vector<PairResult> results;                         ///< nearly exact
  std::array<std::vector<Matrix>, 2> of_graphs;            ///< F
  std::array<std::vector<Matrix>, 2> coefficients;         ///< C of each pair
  std::array<std::vector<std::vector<double>>, 2> trials;  ///< F C F'ᵀ, weighted
  std::array<std::vector<std::vector<double>>, 2> solved;  ///< nearly exact

  Bases(const std::vector<Graph>& graphs, const KernelSpec& kernel, const ExactSet& exact, bool weighted) {
    const auto count = static_cast<std::int32_t>(graphs.size());
    for (const Graph& graph : graphs) {
      Matrix& of_graph = weights.emplace_back(graph.vertex_count(), weighted ? 2 : 1);
      of_graph.setOnes();
      for (Eigen::Index v = 0; weighted && v < of_graph.rows(); ++v) of_graph(v, 1) = 0.2 * static_cast<double>(v % 3);
    }
    for (std::int32_t g = 0; g < count; ++g) pairs.push_back({g, g});
    for (std::int32_t g = 0; g < count; ++g) {
      for (std::int32_t h = g + 1; h < count; ++h) pairs.push_back({g, h});
    }
    results.resize(pairs.size());
    const auto solver = make_pair_solver(BackendId::portable_serial, graphs, kernel, Precision::float64, {1e-12, 2000});
    std::vector<std::size_t> begin{0};
    for (const Pair& pair : pairs) begin.push_back(begin.back() + solver->unknowns(pair));
    const auto degrees = [&](std::int32_t graph) {
      const ExactGraphs& of = exact.graphs();
      const std::size_t first = of.vertex_begin[static_cast<std::size_t>(graph)];
      const std::size_t n = of.vertex_begin[static_cast<std::size_t>(graph) + 1] - first;
      return Eigen::Map<const Eigen::VectorXd>(of.degrees.data() + first, static_cast<Eigen::Index>(n));
    };
    for (std::size_t side = 0; side < sides.size(); ++side) {
      std::vector<double> solutions(begin.back());
      solver->solve(Request{pairs, sides[side], std::span(begin).first(pairs.size())}, Answer{results, solutions});
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto d = degrees(pairs[k].first);
        const auto d_second = degrees(pairs[k].second);
        const Matrix weight = weights[static_cast<std::size_t>(pairs[k].first)] *
                              weights[static_cast<std::size_t>(pairs[k].second)].transpose();
        solved[side].emplace_back(solutions.begin() + static_cast<std::ptrdiff_t>(begin[k]),
                                  solutions.begin() + static_cast<std::ptrdiff_t>(begin[k + 1]));
        const Matrix x =
            Eigen::Map<const Matrix>(solutions.data() + begin[k], d.size(), d_second.size()).cwiseQuotient(weight);
        if (pairs[k].first == pairs[k].second) {
          const Eigen::VectorXd root = d.cwiseSqrt();
          const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(root.asDiagonal() * x * root.asDiagonal());
          of_graphs[side].push_back(root.cwiseInverse().asDiagonal() *
                                    parts.eigenvectors().rightCols(vectors_of_basis));
        }
        const Matrix& f = of_graphs[side][static_cast<std::size_t>(pairs[k].first)];
        const Matrix& f_second = of_graphs[side][static_cast<std::size_t>(pairs[k].second)];
        coefficients[side].push_back(f.transpose() * d.asDiagonal() * x * d_second.asDiagonal() * f_second);
        const Matrix trial = weight.cwiseProduct(f * coefficients[side].back() * f_second.transpose());
        trials[side].emplace_back(trial.data(), trial.data() + trial.size());
      }
    }
  }
};

/// Every other graph with its vertices in reverse.
std::vector<VertexOrder> orders_of(const std::vector<Graph>& graphs) {
  std::vector<VertexOrder> orders(graphs.size());
  for (std::size_t g = 1; g < graphs.size(); g += 2) {
    orders[g].resize(static_cast<std::size_t>(graphs[g].vertex_count()));
    std::iota(orders[g].rbegin(), orders[g].rend(), 0);
  }
  return orders;
}

/// What a device proves of all pairs, and where the set differentiates, a row of derivatives for each and trials one step nearer.
struct Proven {
  std::vector<PairResult> results;
  std::vector<double> slopes;
  std::vector<std::size_t> begin;          ///< of each pair's steps
  std::vector<TrialValues<double>> steps;  ///< of vertices in `orders_of`
};

template <class View>
auto from_device(const View& numbers) {
  const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
  return std::vector<typename View::non_const_value_type>(copy.data(), copy.data() + copy.extent(0));
}

/// The device's certificates of the pairs, with C times `sign`.
Proven certify(const std::vector<Graph>& graphs, const ExactSet& exact, const Bases& bases, double sign) {
  const std::vector<VertexOrder> orders = orders_of(graphs);
  DeviceCertificates device(Space(), exact, orders, std::vector<double>(graphs.size(), 1.0), most_bytes);
  const auto in_order = [&](const std::vector<Matrix>& of_graphs) {
    std::vector<double> numbers;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(of_graphs[g].rows()); ++k) {
        const auto row = of_graphs[g].row(static_cast<Eigen::Index>(vertex_at(orders[g], k)));
        numbers.insert(numbers.end(), row.begin(), row.end());
      }
    }
    return on_device(numbers);
  };
  const auto weights = static_cast<std::size_t>(bases.weights[0].cols());
  const bool weighted = weights > 1;
  REQUIRE(device.reduces(weighted ? weights : 0));
  device.reserve_bases(Space(),
                       weighted ? BasisWeights<Space::memory_space>{in_order(bases.weights), static_cast<int>(weights)}
                                : BasisWeights<Space::memory_space>{});
  for (std::size_t side = 0; side < sides.size(); ++side) {
    device.take_basis(Space(), sides[side], in_order(bases.of_graphs[side]));
  }
  Proven proven;
  std::vector<double> coefficients;
  std::size_t length = 0;
  for (std::size_t k = 0; k < bases.pairs.size(); ++k) {
    for (const auto& of_side : bases.coefficients) {
      for (const double value : of_side[k].reshaped<Eigen::RowMajor>()) coefficients.push_back(sign * value);
    }
    proven.begin.push_back(length);
    length += bases.trials[0][k].size();
  }
  const std::size_t stride = exact.differentiates() ? exact.parameter_count() + 1 : 0;
  const auto pairs = on_device(bases.pairs);
  const auto begins = on_device(proven.begin);
  const auto numbers = on_device(coefficients);
  const auto results = on_device(std::vector<PairResult>(bases.pairs.size()));
  const auto rows = on_device(std::vector<double>(stride * bases.pairs.size(), std::nan("")));
  const auto steps = on_device(std::vector<TrialValues<float>>(length));
  const auto scales = on_device(std::vector<TrialValues<double>>(bases.pairs.size()));
  device.certify_reduced(Space(), {pairs.data(), begins.data(), numbers.data(), {steps.data(), scales.data()}},
                         bases.pairs.size(), results.data(), stride > 0 ? SlopeRows{rows.data(), stride} : SlopeRows{});
  proven.results = from_device(results);
  proven.slopes = from_device(rows);
  const std::vector<TrialValues<float>> stepped = from_device(steps);
  const std::vector<TrialValues<double>> scaled = from_device(scales);
  for (std::size_t k = 0; k < bases.pairs.size(); ++k) {
    for (std::size_t at = 0; at < bases.trials[0][k].size(); ++at) {
      const TrialValues<float> step = stepped[proven.begin[k] + at];
      proven.steps.push_back({scaled[k].x * step.x, scaled[k].y * step.y});
    }
  }
  return proven;
}

std::vector<Graph> dense_graphs() {
  return {random_graph(40, 0.6, 1), random_graph(35, 0.7, 2), random_graph(17, 0.8, 3)};
}

/// Checks the derivatives that a device forms of trials one step nearer than products of bases: they are as far off as it says at most, and
/// the step brings trials much nearer to the solutions, and derivatives, whose errors mostly cancel, somewhat.
void check_derivatives(const std::vector<Graph>& graphs, const KernelSpec& kernel) {
  const ExactSet exact(graphs, kernel, true);
  const std::size_t parameters = exact.parameter_count();
  for (const bool weighted : {false, true}) {
    CAPTURE(weighted);
    const Bases bases(graphs, kernel, exact, weighted);
    const Proven found = certify(graphs, exact, bases, 1);
    const std::vector<VertexOrder> orders = orders_of(graphs);
    EvaluationSpace space;
    std::vector<double> expected(parameters);
    std::vector<double> before(parameters);
    std::array<double, 2> off_slopes{};
    std::array<double, 2> off_trials{};
    for (std::size_t k = 0; k < bases.pairs.size(); ++k) {
      CAPTURE(k);
      if (!std::isfinite(found.results[k].error_bound)) continue;
      std::array<std::vector<double>, 2> trials{bases.trials[0][k], bases.trials[1][k]};
      std::array<std::vector<double>, 2> solved{bases.solved[0][k], bases.solved[1][k]};
      exact.evaluate(bases.pairs[k], {solved[0], solved[1]}, space, expected);
      exact.evaluate(bases.pairs[k], {trials[0], trials[1]}, space, before);
      const double* const row = found.slopes.data() + k * (parameters + 1);
      for (std::size_t t = 0; t < parameters; ++t) {
        CAPTURE(t);
        CHECK(std::abs(row[t] / expected[t] - 1) <= row[parameters]);
        off_slopes[0] += std::abs(before[t] / expected[t] - 1);
        off_slopes[1] += std::abs(row[t] / expected[t] - 1);
      }
      const auto [first, second] = bases.pairs[k];
      const auto m = static_cast<std::size_t>(graphs[static_cast<std::size_t>(second)].vertex_count());
      for (std::size_t at = 0; at < trials[0].size(); ++at) {
        const std::size_t place = vertex_at(orders[static_cast<std::size_t>(first)], at / m) * m +
                                  vertex_at(orders[static_cast<std::size_t>(second)], at % m);
        const TrialValues<double> step = found.steps[found.begin[k] + at];
        const double x = solved[0][place];
        const double y = solved[1][place];
        off_trials[0] += std::abs(trials[0][place] / x - 1) + std::abs(trials[1][place] / y - 1);
        off_trials[1] += std::abs(step.x / x - 1) + std::abs(step.y / y - 1);
      }
    }
    CHECK(off_trials[1] < 0.2 * off_trials[0]);
    CHECK(off_slopes[1] < off_slopes[0]);
  }
}

/// Checks what a device proves by products of bases, weighted and not, against the host; `proven` counts pairs that are, of either.
void check_bases(const std::vector<Graph>& graphs, const KernelSpec& kernel, std::array<std::size_t, 2>& proven) {
  const ExactSet exact(graphs, kernel, false);
  for (const bool weighted : {false, true}) {
    CAPTURE(weighted);
    Bases bases(graphs, kernel, exact, weighted);
    const std::vector<PairResult> found = certify(graphs, exact, bases, 1).results;
    EvaluationSpace space;
    for (std::size_t k = 0; k < found.size(); ++k) {
      CAPTURE(k);
      const bool negative = std::ranges::min(bases.trials[0][k]) < 0 || std::ranges::min(bases.trials[1][k]) < 0;
      const Evaluation expected = exact.evaluate(bases.pairs[k], {bases.trials[0][k], bases.trials[1][k]}, space);
      CHECK(found[k].status == Status::converged);
      if (negative || !std::isfinite(expected.value.bound)) {
        CHECK_FALSE(std::isfinite(found[k].error_bound));
        continue;
      }
      if (kernel.shortest_walk == 1) {
        // A device takes walks of no step off K, where the host counts the others alone, which proves more.
        const double all = found[k].error_bound * found[k].value + expected.value.bound * expected.value.value;
        CHECK_FALSE(std::abs(found[k].value - expected.value.value) > all);
        CHECK(found[k].error_bound >= expected.value.bound * (1 - 1e-6) - 1e-8);
        proven[weighted ? 1 : 0] += found[k].error_bound <= (weighted ? 1e-2 : 1e-6) ? 1 : 0;
        continue;
      }
      // What factors leave unknown comes on top.
      CHECK(found[k].value == doctest::Approx(expected.value.value).epsilon(1e-9).scale(0.01));
      CHECK(found[k].error_bound >= expected.value.bound * (1 - 1e-6) - 1e-8);
      CHECK(found[k].error_bound <= expected.value.bound * 1.001 + 1e-8);
      const double error = std::abs(found[k].value / bases.results[k].value - 1);
      CHECK(error <= found[k].error_bound + 1e-11);
      proven[weighted ? 1 : 0] += found[k].error_bound <= (weighted ? 1e-2 : 1e-6) ? 1 : 0;
    }
  }
}

}  // namespace

TEST_CASE("trials that are products of bases are certified as the host does, and bounds hold") {
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  std::array<std::size_t, 2> proven{};
  for (const char* vertex : {"1", "delta(element, 0.9)"}) {
    for (const char* edge : {"gaussian(length, 0.7)", "0.8", "gaussian(length, 0.5)*rational(length, 1, 2)"}) {
      CAPTURE(std::string(vertex));
      CAPTURE(std::string(edge));
      check_bases(dense_graphs(), {Expression::parse(vertex), Expression::parse(edge), stopping}, proven);
    }
  }
  CHECK(proven[0] >= 12);
  CHECK(proven[1] >= 12);
}

TEST_CASE("so they are where graphs fill tiles of a GPU, from uneven starts, and without walks of no step") {
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  std::array<std::size_t, 2> proven{};
  for (const double first : {1.0, 0.0}) {
    CAPTURE(first);
    std::vector<Graph> graphs{random_graph(16, 0.9, 1), random_graph(32, 0.8, 2), random_graph(33, 0.8, 3),
                              random_graph(64, 0.7, 4)};
    for (Graph& graph : graphs) {
      std::vector<double> starting(static_cast<std::size_t>(graph.vertex_count()));
      std::iota(starting.begin(), starting.end(), 20.0);
      starting[0] *= first;
      graph.set_starting_weights(starting);
    }
    KernelSpec kernel{Expression::parse("delta(element, 0.9)"), Expression::parse("0.8"), stopping};
    check_bases(graphs, kernel, proven);
    kernel.shortest_walk = 1;
    check_bases(graphs, kernel, proven);
  }
  CHECK(proven[0] >= 4);
  CHECK(proven[1] >= 4);
}

TEST_CASE("derivatives are formed of trials that are one step nearer to the solutions") {
  std::vector<Graph> graphs{random_graph(40, 0.6, 1), random_graph(33, 0.7, 2), random_graph(64, 0.8, 3)};
  for (const StoppingMeaning meaning : {StoppingMeaning::probability, StoppingMeaning::weight}) {
    CAPTURE(meaning);
    const Stopping stopping(meaning, 0.05);
    check_derivatives(graphs,
                      {Expression::parse("delta(element, 0.9)"), Expression::parse("gaussian(length, 0.7)"), stopping});
    check_derivatives(graphs, {Expression::parse("delta(element, 0.5)"), Expression::parse("0.8"), stopping});
  }
}

TEST_CASE("a trial with a number below 0 proves nothing") {
  const std::vector<Graph> graphs = dense_graphs();
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("gaussian(length, 0.7)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const ExactSet exact(graphs, kernel, false);
  const Bases bases(graphs, kernel, exact, false);
  for (const PairResult& result : certify(graphs, exact, bases, -1).results)
    CHECK_FALSE(std::isfinite(result.error_bound));
  // x alone, at one place: y still bounds the error of what is left of it, and of what is below 0 if that were allowed.
  const auto bounds_with = [&](double share) {
    Bases less = bases;
    for (std::size_t k = 0; k < bases.pairs.size(); ++k) {
      const auto row = bases.of_graphs[0][static_cast<std::size_t>(bases.pairs[k].first)].row(0);
      const auto column = bases.of_graphs[0][static_cast<std::size_t>(bases.pairs[k].second)].row(0);
      const double taken = share * bases.trials[0][k][0] / (row.squaredNorm() * column.squaredNorm());
      less.coefficients[0][k] -= taken * row.transpose() * column;
    }
    std::size_t finite = 0;
    for (const PairResult& result : certify(graphs, exact, less, 1).results)
      finite += std::isfinite(result.error_bound) ? 1 : 0;
    return finite;
  };
  CHECK(bounds_with(0.99) == bases.pairs.size());
  CHECK(bounds_with(1.01) == 0);
}

TEST_CASE("an edge kernel of many factors has no such certificates") {
  const std::vector<Graph> graphs = dense_graphs();
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("delta(length, 0.5)"),
                          Stopping(StoppingMeaning::probability, 0.05)};
  const ExactSet exact(graphs, kernel, false);
  const std::vector<VertexOrder> orders(graphs.size());
  const std::vector<double> scales(graphs.size(), 1.0);
  CHECK_FALSE(DeviceCertificates(Space(), exact, orders, scales, most_bytes).reduces());
}

TEST_CASE(
    "such certificates are for edge kernels of few factors, vertices with many edges, and the memory that is allowed") {
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  const KernelSpec kernel{Expression::parse("1"), Expression::parse("gaussian(length, 0.7)"), stopping};
  const auto reduces = [&](const std::vector<Graph>& graphs, std::size_t bytes) {
    const ExactSet exact(graphs, kernel, false);
    return DeviceCertificates(Space(), exact, std::vector<VertexOrder>(graphs.size()),
                              std::vector<double>(graphs.size(), 1.0), bytes)
        .reduces();
  };
  CHECK(reduces(dense_graphs(), most_bytes));
  const ExactSet exact(dense_graphs(), kernel, false);
  const DeviceCertificates device(Space(), exact, std::vector<VertexOrder>(3), {1.0, 1.0, 1.0}, most_bytes);
  CHECK(device.reduces(2));
  CHECK_FALSE(device.reduces(8));
  CHECK_FALSE(reduces(dense_graphs(), 0));
  CHECK_FALSE(reduces(dense_graphs(), 10000));
  CHECK_FALSE(reduces({random_graph(60, 0.03, 1), random_graph(50, 0.04, 2)}, most_bytes));
}
