// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <octile/backends.hpp>
#include <octile/gram.hpp>

#include "common/tolerances.hpp"

namespace octile::test {

/// A backend that can run here, in a precision that it has.
struct Setting {
  BackendId backend;
  Precision precision = Precision::float64;
  Primitive primitive{};
  Lowering lowering = Lowering::automatic;

  /// "portable:serial rows auto float64".
  std::string name() const {
    std::string name(backend_name(backend));
    return name.append(" ")
        .append(primitive.name())
        .append(" ")
        .append(lowering_name(lowering))
        .append(" ")
        .append(scalar_name(precision));
  }

  SolveOptions solve_options() const {
    SolveOptions options;
    options.tolerance = tolerance::solve(precision);
    return options;
  }

  GramOptions gram_options() const {
    GramOptions options;
    options.backend = backend;
    options.precision = precision;
    options.primitive = primitive;
    options.lowering = lowering;
    options.solve = solve_options();
    return options;
  }
};

/// Every backend that can run here in every precision that it has, the reference first.
inline std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (const Backend& backend : backends()) {
    if (!backend.available) continue;
    settings.push_back({backend.id, Precision::float64});
    if (backend.single_precision) settings.push_back({backend.id, Precision::float32});
  }
  return settings;
}

/// All settings without the reference, with which the others are compared.
inline std::vector<Setting> judged_settings() {
  std::vector<Setting> settings = all_settings();
  std::erase_if(settings, [](const Setting& setting) { return setting.backend == BackendId::reference; });
  return settings;
}

/// Every family of primitives of every backend but the reference, in every precision. Dense ones with t = r = 8, and
/// with (16, 8) to test parameters that are given at run time. (test_primitives.cpp has every t and r.)
inline std::vector<Setting> primitive_settings() {
  std::vector<Setting> settings;
  for (const Setting& setting : judged_settings()) {
    for (const Primitive& primitive : all_primitives()) {
      if (!find_backend(setting.backend).has(primitive, setting.precision)) continue;
      if (primitive.t > 0 && (primitive.r != 8 || (primitive.t != 8 && primitive.t != 16))) continue;
      settings.push_back({setting.backend, setting.precision, primitive});
    }
  }
  return settings;
}

/// Every lowering but `auto` of every backend that has it, in every precision.
inline std::vector<Setting> lowering_settings() {
  std::vector<Setting> settings;
  for (const Setting& setting : judged_settings()) {
    for (const LoweringInfo& info : lowerings()) {
      if (info.lowering == Lowering::automatic || !find_backend(setting.backend).has(info.lowering)) continue;
      settings.push_back({setting.backend, setting.precision, {}, info.lowering});
    }
  }
  return settings;
}

/// The most edges that meet in one vertex.
inline std::size_t most_neighbours(const Graph& graph) {
  std::vector<std::size_t> neighbours(static_cast<std::size_t>(graph.vertex_count()), 0);
  for (const Edge& edge : graph.edges()) {
    ++neighbours[static_cast<std::size_t>(edge.i)];
    ++neighbours[static_cast<std::size_t>(edge.j)];
  }
  return *std::ranges::max_element(neighbours);
}

/// The most terms in a row of A× ⊙ E×.
inline std::size_t most_terms(const Graph& first, const Graph& second) {
  return most_neighbours(first) * most_neighbours(second);
}

/// Whether a pair ended as it should: converged, or with a residual as small as rounding in this precision allows.
inline bool settled(const PairResult& result, Precision precision, const Stopping& stopping, std::size_t terms,
                    Lowering lowering = Lowering::automatic) {
  if (result.status == Status::converged) {
    return result.residual <= tolerance::worst_row * tolerance::solve(precision) +
                                  tolerance::rounding_residual(precision, result.value, stopping, terms);
  }
  // Only the closed form solves without an iteration.
  const double rounding = result.iterations == 0
                              ? tolerance::decomposition_residual(result.value, stopping)
                              : tolerance::rounding_residual(precision, result.value, stopping, terms);
  const double by_factors = lowering == Lowering::factored ? tolerance::factors_residual(stopping) : 0;
  return result.status == Status::stagnated && result.residual > tolerance::solve(precision) &&
         result.residual <= tolerance::worst_row * rounding + by_factors;
}

/// |a − b| / |b|.
inline double relative_error(double a, double b) { return std::abs(a - b) / std::abs(b); }

/// max|a − b| / max|b|.
inline double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double difference = 0;
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    // Written so that a NaN is an error too.
    if (!(std::abs(a[k] - b[k]) <= difference)) difference = std::abs(a[k] - b[k]);
    if (std::abs(b[k]) > largest) largest = std::abs(b[k]);
  }
  return difference / largest;
}

}  // namespace octile::test
