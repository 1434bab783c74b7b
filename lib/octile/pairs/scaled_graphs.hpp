// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/solve.hpp>
#include <octile/stopping.hpp>

#include <optional>
#include <span>
#include <vector>

namespace octile {

/// Graphs whose weights are multiplied by powers of two, one a graph, so that degrees are within the range of every precision.
struct ScaledGraphs {
  std::vector<Graph> graphs;
  std::vector<double> factors;
};

/// Takes the scaling back from an adjoint solution of a pair: y is multiplied by both graphs' factors, one after the other,
/// since their product may not be finite.
void unscale_adjoint(std::span<const double> factors, Pair pair, std::span<double> y);

/// The set with scaled weights; nothing if no graph needs it: its largest degree is between 2^-16 and 2^16. K and x do not
/// change, since A and D scale alike: nothing is rounded. The adjoint solution y is divided by both factors. Under `weight` the
/// graph's q in D is scaled too (`Graph::stopping_scale`), which a solver has to read.
std::optional<ScaledGraphs> scaled_graphs(std::span<const Graph> graphs, const Stopping& stopping);

}  // namespace octile
