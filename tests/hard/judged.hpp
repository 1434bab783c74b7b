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

}  // namespace octile::test
