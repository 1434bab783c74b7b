// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/expression.hpp>
#include <octile/graph.hpp>
#include <octile/problem.hpp>
#include <octile/solve.hpp>
#include <octile/stopping.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hard/extended.hpp"
#include "hard/families.hpp"

// Sets of hard graphs with what extended precision says of them.
namespace octile::test {

/// A set of graphs, with K of some pairs in extended precision.
struct Family {
  std::string name;
  std::vector<Graph> graphs;
  HardKernel kernel;
  Stopping stopping;
  std::vector<Pair> pairs;
  std::vector<ExtendedValue> expected;

  KernelSpec spec() const { return {Expression::parse(kernel.vertex), Expression::parse(kernel.edge), stopping}; }
};

// Kernels as text and as formulas.
inline HardKernel constant_kernel() { return {"1", "1", extended::constant(1), extended::constant(1)}; }
inline HardKernel delta_kernel() {
  return {"delta(element,0.2)", "delta(order,0.9)", extended::delta_of_element(0.2), extended::delta_of_order(0.9)};
}
inline HardKernel gaussian_kernel() {
  return {"delta(kind,0.5)", "gaussian(length,0.3)", extended::delta_of_kind(0.5), extended::gaussian_of_length(0.3)};
}
inline HardKernel wendland_kernel() {
  return {"1", "0.9*wendland(length,0.8) + 0.05", extended::constant(1), extended::wendland_of_length(0.9, 0.8, 0.05)};
}

/// A set with K of these pairs, or of all.
inline Family family_of(std::string name, std::vector<Graph> graphs, const HardKernel& kernel, const Stopping& stopping,
                        std::vector<Pair> pairs = {}) {
  Family family{std::move(name), std::move(graphs), kernel, stopping, std::move(pairs), {}};
  const auto count = static_cast<std::int32_t>(family.graphs.size());
  if (family.pairs.empty()) {
    for (std::int32_t i = 0; i < count; ++i) {
      for (std::int32_t j = i; j < count; ++j) family.pairs.push_back({i, j});
    }
  }
  for (const auto [i, j] : family.pairs) {
    family.expected.push_back(extended_value(family.graphs[static_cast<std::size_t>(i)],
                                             family.graphs[static_cast<std::size_t>(j)], kernel, stopping));
  }
  return family;
}

/// How wrong a value is at least: what is not known of the judge's is not held against it.
inline double error_of(double value, const ExtendedValue& expected) {
  const long double error = std::abs((static_cast<long double>(value) - expected.value) / expected.value);
  return static_cast<double>(error > expected.known ? error - expected.known : error == error ? 0 : error);
}

/// Walks that end soon and late, by both meanings of q.
inline std::vector<Stopping> stoppings() {
  return {{StoppingMeaning::weight, 0.05},
          {StoppingMeaning::weight, 0.0005},
          {StoppingMeaning::probability, 0.05},
          {StoppingMeaning::probability, 0.0005}};
}

/// Isolated vertices, light parts beside heavy ones, parts that hardly hang together and weights of twelve orders, by four kernels and these walks.
inline std::vector<Family> hard_families() {
  const std::vector<Graph> graphs{
      with_isolated(1e-3, 1),        with_isolated(1e-9, 2),     with_isolated(1e-15, 3),
      light_and_heavy(1e-5, 1, 4),   light_and_heavy(1e6, 0, 5), nearly_disconnected(1e-4, 6),
      nearly_disconnected(1e-11, 7), of_twelve_orders(8, 1, 8),  of_twelve_orders(9, 0, 9)};
  std::vector<Family> families;
  for (const HardKernel& kernel : {constant_kernel(), delta_kernel(), gaussian_kernel(), wendland_kernel()}) {
    for (const Stopping& stopping : stoppings()) {
      families.push_back(
          family_of(kernel.vertex + " | " + kernel.edge + " | " + stopping.to_string(), graphs, kernel, stopping));
    }
  }
  return families;
}

}  // namespace octile::test
