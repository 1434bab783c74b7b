// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "backends/cuda/emulated/native_set.hpp"

#include <octile/backends.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "common/graphs.hpp"
#include "common/sanitized.hpp"
#include "common/settings.hpp"
#include "common/tolerances.hpp"

// The pairs that emulated kernels solve, and the checks of their results.
namespace octile::emulated {

/// Vertex labels of three kinds; a wide edge kernel has few factors, a narrow one many.
inline KernelSpec kernel_of(const char* edge, const char* vertex = "delta(kind,0.4)") {
  return {Expression::parse(vertex), Expression::parse(edge), Stopping(StoppingMeaning::probability, 0.05)};
}

inline SolveOptions options() { return {test::tolerance::solve(Precision::float32), 5000}; }

/// Few edges with unequal degrees: a cycle with chords, and a hub that joins half the vertices.
inline std::vector<Edge> sparse_edges(std::int32_t vertices) {
  std::vector<Edge> edges = test::cycle_edges(vertices);
  for (std::int32_t i = 0; i + 5 < vertices; i += 3) edges.push_back({i, i + 5, 1.0});
  for (std::int32_t i = 7; i + 1 < vertices; i += 2) edges.push_back({0, i, 1.0});
  return edges;
}

inline Graph sparse(std::size_t vertices, bool with_weights) {
  const auto n = static_cast<std::int32_t>(vertices);
  std::vector<Edge> edges = sparse_edges(n);
  if (with_weights) edges = test::weighted(std::move(edges), vertices);
  return test::labelled("sparse " + std::to_string(n), n, std::move(edges), vertices);
}

inline Graph dense(std::size_t vertices, double density, bool with_weights) {
  const auto n = static_cast<std::int32_t>(vertices);
  std::vector<Edge> edges = test::random_edges(n, density, vertices);
  if (with_weights) edges = test::weighted(std::move(edges), vertices + 1);
  return test::labelled("dense " + std::to_string(n), n, std::move(edges), vertices + 2);
}

/// Graphs, and pairs of them up to `rows` × `columns` vertices, which must be at least 12 × 11.
struct Pairs {
  std::vector<Graph> graphs;
  std::vector<Pair> pairs;

  Pairs(std::size_t rows, std::size_t columns, bool with_weights) {
    const auto add = [this](Graph first, Graph second) {
      const auto number = static_cast<std::int32_t>(graphs.size());
      graphs.push_back(std::move(first));
      graphs.push_back(std::move(second));
      pairs.push_back({number, number + 1});
    };
    add(sparse(rows - 1, with_weights), sparse(columns, with_weights));
    add(sparse(rows, with_weights), sparse(columns - 1, with_weights));
    add(sparse(1, with_weights), sparse(1, with_weights));
    add(sparse(rows, with_weights), sparse(1, with_weights));
    add(sparse(2, with_weights), sparse(columns, with_weights));
    add(sparse(9, with_weights), sparse(7, with_weights));
    add(dense(rows, 0.25, with_weights), sparse(8, with_weights));
    add(sparse(11, with_weights), dense(columns, 0.25, with_weights));
    add(dense(std::min<std::size_t>(rows, 16), 1.0, with_weights),
        dense(std::min<std::size_t>(columns, 17), 0.9, with_weights));
    // No edges at all, and a vertex without any.
    add(test::labelled("no edges", 5, {}, 1), sparse(10, with_weights));
    add(test::labelled("a vertex apart", 12, test::cycle_edges(11), 2), sparse(10, with_weights));
  }
};

/// The expected results by another backend in double: the reference for small pairs. The solution is x, or that of the adjoint
/// system.
struct Expected {
  std::vector<PairResult> results;
  std::vector<double> nodewise;  ///< of the first pair

  Expected(const Pairs& of, const KernelSpec& kernel, RightHandSide right_hand_side = RightHandSide::stopping) {
    constexpr std::int32_t small = 400;
    const SolveOptions precise{test::tolerance::solve(Precision::float64), 5000};
    const auto solver = [&](BackendId backend) {
      return make_pair_solver(backend, of.graphs, kernel, Precision::float64, precise);
    };
    const auto reference = solver(BackendId::reference);
    const auto portable = solver(BackendId::portable_openmp);
    results.resize(of.pairs.size());
    for (std::size_t k = 0; k < of.pairs.size(); ++k) {
      const auto vertices = [&](std::int32_t graph) {
        return of.graphs[static_cast<std::size_t>(graph)].vertex_count();
      };
      const bool judged = vertices(of.pairs[k].first) * vertices(of.pairs[k].second) <= small;
      (judged ? reference : portable)->solve({&of.pairs[k], 1}, {&results[k], 1});
    }
    nodewise.resize(portable->unknowns(of.pairs[0]));
    const std::size_t begin = 0;
    PairResult first;
    portable->solve(Request{{of.pairs.data(), 1}, right_hand_side, {&begin, 1}}, Answer{{&first, 1}, nodewise});
  }
};

inline void check_against(const Expected& expected, const Solved& solved, const Pairs& of, const Stopping& stopping) {
  const auto graph = [&](std::int32_t number) -> const Graph& { return of.graphs[static_cast<std::size_t>(number)]; };
  for (std::size_t k = 0; k < of.pairs.size(); ++k) {
    const PairResult& result = solved.results[k];
    CAPTURE(graph(of.pairs[k].first).name());
    CAPTURE(graph(of.pairs[k].second).name());
    CAPTURE(status_name(result.status));
    CAPTURE(result.residual);
    const std::size_t terms = test::most_terms(graph(of.pairs[k].first), graph(of.pairs[k].second));
    CHECK(test::settled(result, Precision::float32, stopping, terms));
    CHECK(test::relative_error(result.value, expected.results[k].value) <= test::tolerance::value(Precision::float32));
  }
  CHECK(test::relative_error(solved.nodewise, expected.nodewise) <=
        test::tolerance::nodewise_with_hubs(Precision::float32));
}

inline void check_equal_bits(const Solved& first, const Solved& second) {
  for (std::size_t k = 0; k < first.results.size(); ++k) {
    CAPTURE(k);
    CHECK(first.results[k].value == second.results[k].value);
    CHECK(first.results[k].residual == second.results[k].residual);
    CHECK(first.results[k].iterations == second.results[k].iterations);
  }
  CHECK(first.nodewise == second.nodewise);
}

inline int iterations_of(const Solved& all) {
  int sum = 0;
  for (const PairResult& result : all.results) sum += result.iterations;
  return sum;
}

/// Checks values that are estimated to be exact enough, which takes fewer iterations than a residual, or as many where a few steps solve a pair.
template <class Solve>
void check_estimates(const Pairs& of, const Expected& expected, const Solved& by_residual, const Solve& solve,
                     bool projected = false) {
  constexpr float allowed = 1e-6F;
  const Solved solved = solve(Launch{of.pairs, Order::forwards, projected, RightHandSide::stopping, allowed});
  for (std::size_t k = 0; k < of.pairs.size(); ++k) {
    CAPTURE(k);
    CHECK(solved.results[k].status == Status::converged);
    CHECK(test::relative_error(solved.results[k].value, expected.results[k].value) <= 2 * double(allowed));
  }
  const int saved = iterations_of(by_residual) - iterations_of(solved);
  CAPTURE(saved);
  const bool by_many_steps = iterations_of(by_residual) >= 8 * static_cast<int>(of.pairs.size());
  CHECK(saved >= (by_many_steps ? 1 : 0));
  check_equal_bits(solved, solve(Launch{of.pairs, Order::backwards, projected, RightHandSide::stopping, allowed}));
}

/// Checks that `solve(launch)` gives the right values from both systems, and the same bits in another order of the threads. That finds missing barriers,
/// of which the sanitizers see nothing.
template <class Solve>
void check_solves(const Pairs& of, const KernelSpec& kernel, const Solve& solve) {
  if (!test::sanitized) {  // which see the same code, and more, in the adjoint system
    const Solved solved = solve(Launch{of.pairs, Order::forwards});
    const Expected expected(of, kernel);
    check_against(expected, solved, of, kernel.stopping);
    check_equal_bits(solved, solve(Launch{of.pairs, Order::backwards}));
    check_estimates(of, expected, solved, solve);
  }
  const Solved adjoint = solve(Launch{of.pairs, Order::forwards, false, RightHandSide::starting});
  check_against(Expected(of, kernel, RightHandSide::starting), adjoint, of, kernel.stopping);
}

/// Checks solves of both systems that start from projected ones: right values, equal bits, and fewer products in total.
template <class Solve>
void check_starts(const Pairs& of, const KernelSpec& kernel, const Solve& solve) {
  for (const RightHandSide side : {RightHandSide::stopping, RightHandSide::starting}) {
    CAPTURE(static_cast<int>(side));
    const Solved plain = solve(Launch{of.pairs, Order::forwards, false, side});
    const Solved solved = solve(Launch{of.pairs, Order::forwards, true, side});
    const Expected expected(of, kernel, side);
    check_against(expected, solved, of, kernel.stopping);
    if (!test::sanitized) check_equal_bits(solved, solve(Launch{of.pairs, Order::backwards, true, side}));
    if (side == RightHandSide::stopping) check_estimates(of, expected, solved, solve, true);
    CHECK(iterations_of(solved) < iterations_of(plain));
  }
}

/// Checks that solves whose first product is a short sum (`FirstTerms`) take the iterations of those by products alone, but for some where another
/// rounding has one restart. Other bits show that there was a sum.
template <class Solve>
void check_first_sums(const Pairs& of, const Solve& solve) {
  for (const RightHandSide side : {RightHandSide::stopping, RightHandSide::starting}) {
    CAPTURE(static_cast<int>(side));
    const Solved summed = solve(Launch{of.pairs, Order::forwards, false, side});
    const Solved plain = solve(Launch{of.pairs, Order::forwards, false, side, 0, false});
    bool other_bits = false;
    for (std::size_t k = 0; k < of.pairs.size(); ++k) {
      CAPTURE(k);
      const PairResult& first = summed.results[k];
      const PairResult& second = plain.results[k];
      CAPTURE(first.iterations);
      CAPTURE(second.iterations);
      CHECK(first.status == second.status);
      CHECK(std::abs(first.iterations - second.iterations) <= 2);
      CHECK(test::relative_error(first.value, second.value) <= test::tolerance::value(Precision::float32));
      other_bits = other_bits || first.value != second.value || first.residual != second.residual;
    }
    CHECK(other_bits);
    const int more = iterations_of(summed) - iterations_of(plain);
    CAPTURE(more);
    CHECK(more <= 2);
  }
}

inline std::uint32_t record_of(const plan::LoweringPlan& plan, std::size_t g, std::size_t e) {
  return plan.lowered.edge.ids[g][e];
}

}  // namespace octile::emulated
