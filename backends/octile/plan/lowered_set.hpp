// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/bytes.hpp>
#include <octile/error.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/terms.hpp>
#include <octile/solvers/setup.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace octile::plan {

/// The two base kernels of a set, lowered.
struct LoweredSet {
  LoweredKernel vertex;
  LoweredKernel edge;

  explicit LoweredSet(const SolverSetup& setup)
      : vertex(lower(setup.graphs, setup.kernel.vertex, LabelSite::vertex)),
        edge(lower(setup.graphs, setup.kernel.edge, LabelSite::edge)) {}

  /// Whether κe is the same for all pairs of edges: it is constant, or the set has no edges.
  bool constant_edges() const { return edge.constant() || edge.record_count == 0; }
  /// The value of κe if `constant_edges`.
  double edge_constant() const { return edge.constant() ? edge.program[0].parameter : 1.0; }
  /// The label of edge e of graph g, a number; only if κe reads one number, such as a square exponential.
  double edge_number(std::size_t g, std::size_t e) const { return edge.records[edge.ids[g][e]]; }
  /// The middle of the range of these numbers; 0 without an edge. Only their differences matter, and distances from the middle are the smallest
  /// possible, which float tells apart best.
  double middle_edge_number() const {
    const auto [least, most] = range_of_edge_numbers();
    return (least + most) / 2;
  }
  /// κe as a sum of few exponentials, if it is one and `float_tells_apart` their largest rate.
  std::optional<detail::ExponentialSum> exponential_sum() const {
    auto sum = detail::exponential_sum(edge);
    double largest = 0;
    if (sum) {
      for (const detail::ExponentialSum::Term& term : sum->terms) largest = std::max(largest, term.rate);
    }
    return float_tells_apart(largest) ? sum : std::nullopt;
  }
  /// Whether exp(−s (x − y)²) of these numbers, as distances in float from their middle, is that of the numbers: to about 1e-5 where both are
  /// farthest from it. A program subtracts them in double.
  bool float_tells_apart(double s) const {
    constexpr double most = 256;  // times 2^−24 a distance from the middle is off, in lengths
    const auto [least, largest] = range_of_edge_numbers();
    return (largest - least) / 2 * std::sqrt(s) <= most;
  }

 private:
  std::ranges::minmax_result<double> range_of_edge_numbers() const {
    return edge.records.empty() ? std::ranges::minmax_result<double>{0, 0} : std::ranges::minmax(edge.records);
  }
};

/// Throws `Error` if the set takes more than is allowed.
void require_memory(const SolverSetup& setup, std::size_t set_bytes);

/// How many pairs of `each` bytes of work space fit `memory`. Throws `Error` with the vertices of the largest pair if
/// none fits.
std::size_t pairs_that_fit(std::size_t each, std::size_t memory, std::size_t vertices, std::size_t vertices_second);

/// The one-line description of a solver; `method` says how it solves.
std::string describe_method(const SolverSetup& setup, const LoweredSet& lowered, std::string_view space,
                            std::string_view method, std::size_t set_bytes);

/// The description of a solver that iterates by a primitive.
std::string describe(const SolverSetup& setup, const LoweredSet& lowered, std::string_view space,
                     std::string_view primitive, std::size_t set_bytes);

}  // namespace octile::plan
