// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/certify/exact_set.hpp>
#include <octile/graph.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace octile {

/// Pairs with the solutions of both of their systems: those of pair k, n·m values each, begin at `begin[k]`.
struct SolvedPairs {
  std::span<const Pair> pairs;
  std::span<const std::size_t> begin;
  std::span<const double> x;
  std::span<const double> y;
};

/// Zeros for all graphs, with an attribute of the edges or without.
GraphDerivatives zero_derivatives(std::span<const Graph> graphs, bool of_attribute);

/// Adds the derivatives of Σ weight · K by what the graphs hold. Pairs of weight 0 are left out. `factors` are those by which the
/// weights of the set's graphs were multiplied, one a graph, or empty: derivatives are by the weights before. Sums are formed in
/// the order of the pairs, on any number of threads.
void add_graph_derivatives(const ExactSet& set, const SolvedPairs& solved, std::span<const double> weights,
                           std::span<const double> factors, std::string_view edge_attribute, GraphDerivatives& sums);

}  // namespace octile
