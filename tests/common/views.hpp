// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/expression.hpp>
#include <octile/graph.hpp>
#include <octile/graphs/rows.hpp>
#include <octile/problem.hpp>
#include <octile/program_kernel.hpp>
#include <octile/solve_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

// Graphs of the tests as a caller has them in Views, with a label of the caller's own.
namespace octile::test {

struct Bond {
  std::int32_t order;
  double length;
};

}  // namespace octile::test

template <>
struct octile::LabelAttributes<octile::test::Bond> {
  static constexpr std::tuple list{Attribute{"order", &octile::test::Bond::order},
                                   Attribute{"length", &octile::test::Bond::length}};
};

namespace octile::test {

/// A caller's arrays, on the host, with room for more than is in use.
struct Arrays {
  std::vector<std::int32_t> graph_offsets{0};
  std::vector<std::uint64_t> row_offsets{0};
  std::vector<std::int64_t> columns;
  std::vector<double> weights;
  std::vector<std::int32_t> kinds;
  std::vector<Bond> bonds;

  explicit Arrays(const std::vector<Graph>& graphs) {
    for (const Graph& graph : graphs) add(graph);
  }

 private:
  void add(const Graph& graph) {
    const std::int64_t first = graph_offsets.back();
    const auto& kind = std::get<std::vector<std::int64_t>>(graph.vertex_labels().at("kind"));
    for (const auto& row : rows_of(graph)) {
      for (const RowElement& element : row) {
        columns.push_back(first + element.column);
        weights.push_back(graph.edges()[element.edge].weight);
        bonds.push_back(bond(graph, element.edge));
      }
      row_offsets.push_back(columns.size());
    }
    for (const std::int64_t each : kind) kinds.push_back(static_cast<std::int32_t>(each));
    graph_offsets.push_back(static_cast<std::int32_t>(first) + graph.vertex_count());
  }
  static Bond bond(const Graph& graph, std::size_t edge) {
    const LabelColumns& labels = graph.edge_labels();
    return {static_cast<std::int32_t>(std::get<std::vector<std::int64_t>>(labels.at("order"))[edge]),
            std::get<std::vector<double>>(labels.at("length"))[edge]};
  }
};

/// A View of numbers, with room for more.
template <class Memory, class T>
Kokkos::View<T*, Memory> view_of(const std::vector<T>& values, std::size_t room = 0) {
  Kokkos::View<T*, Memory> view("caller's", std::max(values.size(), room));
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(), values.size());
  Kokkos::deep_copy(Kokkos::subview(view, std::pair(std::size_t(0), values.size())), host);
  return view;
}

template <class Memory>
auto batch_of(const Arrays& arrays) {
  return GraphBatch(view_of<Memory>(arrays.graph_offsets), view_of<Memory>(arrays.row_offsets),
                    view_of<Memory>(arrays.columns, arrays.columns.size() + 5))
      .weights(view_of<Memory>(arrays.weights))
      .vertex_labels(view_of<Memory>(arrays.kinds))
      .edge_labels(view_of<Memory>(arrays.bonds));
}

inline auto typed_kernel(const Stopping& stopping) {
  return TypedKernel{
      KroneckerDelta(0.4),
      TensorProduct(field<&Bond::order>(KroneckerDelta(0.5)), field<&Bond::length>(SquareExponential(0.3))), stopping};
}

/// `typed_kernel` as text.
inline KernelSpec same_at_run_time(const Stopping& stopping) {
  return {Expression::parse("delta(kind,0.4)"), Expression::parse("delta(order,0.5)*gaussian(length,0.3)"), stopping};
}

}  // namespace octile::test
