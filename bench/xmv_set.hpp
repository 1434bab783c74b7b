// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/random.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "label_kernels.hpp"
#include "xmv_case.hpp"

// Graphs with edge labels of some type, in the memory of the default execution space.
namespace octile::bench {

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;

/// The number of different graphs of the isolated products.
inline constexpr int graph_variety = 8;

template <class Label>
struct LabelledGraphs {
  std::vector<Graph> graphs;
  std::vector<std::vector<Label>> labels;  ///< of each edge

  /// Random labels, equal on every machine.
  explicit LabelledGraphs(std::vector<Graph> all) : graphs(std::move(all)) {
    reorder::Random random(7);
    const auto uniform = [&random] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
    for (const Graph& graph : graphs) {
      std::vector<Label>& list = labels.emplace_back();
      for (std::size_t e = 0; e < graph.edge_count(); ++e) list.push_back(random_label<Label>(uniform));
    }
  }

  auto read_edge() const {
    return [this](std::size_t g, std::size_t e) { return labels[g][e]; };
  }

  template <class Scalar>
  auto pack() const {
    return pack_octiles<Scalar, NoLabel, Label>(
        Space(), graphs, Stopping::parse("probability:0.05"), [](std::size_t, std::size_t) { return NoLabel{}; },
        read_edge());
  }
};

/// Pairs of a launch: the number asked for, else two for each team that a GPU can run at once, and one for each on a host.
inline int pairs_of(const XmvSizes& sizes, int threads) {
  if (sizes.pairs > 0) return sizes.pairs;
  const auto teams = static_cast<int>(portable::concurrent_teams(Space(), threads));
  return portable::fine_grained<Space> ? 2 * teams : teams;
}

/// `count` pairs of one of the `graph_variety` graphs from `first` on and one of those from `second` on.
inline std::vector<Pair> pairs_between(int count, int first, int second) {
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    pairs.push_back({first + k % graph_variety, second + (k / graph_variety) % graph_variety});
  }
  return pairs;
}

/// The cost of an element: κe, three products and a sum; if κe is constant, two products and a sum.
template <class Scalar, class Label, class EdgeKernel>
ElementCost element_cost(const EdgeKernel& kernel) {
  const double evaluation = kernel_operations(Label{}, kernel);
  return {evaluation == 0 ? 3 : evaluation + 4, sizeof(Scalar), label_bytes(Label{})};
}

}  // namespace octile::bench
