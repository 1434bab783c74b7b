// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/graph.hpp>
#include <octile/graph_batch.hpp>
#include <octile/graphs/numbers.hpp>
#include <octile/program_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

// Graphs of the host, such as those read from files, where `solve` takes them: beside graphs that a device makes.
namespace octile {

namespace detail {

/// The labels of all vertices, or edges, of a graph.
template <class Label>
std::vector<Label> labels_of(const Graph& graph, bool of_vertices, const LabelNames& names) {
  static_assert(!std::is_same_v<Label, bool>, "a label that is 0 or 1 is a number of another type, such as char");
  const std::size_t count = of_vertices ? static_cast<std::size_t>(graph.vertex_count()) : graph.edge_count();
  std::vector<Label> labels(count);
  if (count == 0) return labels;  // a graph without edges needs no attribute of them
  if constexpr (std::is_arithmetic_v<Label>) {
    const NumberColumn column(graph, of_vertices, of_vertices ? names.vertex : names.edge, names.numbers);
    for (std::size_t k = 0; k < count; ++k) labels[k] = column.number<Label>(k);
  } else {
    static_assert(std::tuple_size_v<std::remove_cvref_t<decltype(LabelAttributes<Label>::list)>> > 0,
                  "a label is a number, or a struct for which octile::LabelAttributes names members");
    const auto fill = [&]<class Member>(const Attribute<Member Label::*>& attribute) {
      const NumberColumn column(graph, of_vertices, attribute.name, names.numbers);
      for (std::size_t k = 0; k < count; ++k) labels[k].*attribute.member = column.number<Member>(k);
    };
    std::apply([&](const auto&... attribute) { (fill(attribute), ...); }, LabelAttributes<Label>::list);
  }
  return labels;
}

/// A batch with those labels that it is to have.
template <class VertexLabel, class EdgeLabel, class Batch, class VertexLabels, class EdgeLabels>
auto labelled(const Batch& batch, [[maybe_unused]] const VertexLabels& vertex_labels,
              [[maybe_unused]] const EdgeLabels& edge_labels) {
  constexpr bool of_vertices = !std::is_same_v<VertexLabel, NoLabel>;
  constexpr bool of_edges = !std::is_same_v<EdgeLabel, NoLabel>;
  if constexpr (of_vertices && of_edges) {
    return batch.vertex_labels(vertex_labels).edge_labels(edge_labels);
  } else if constexpr (of_vertices) {
    return batch.vertex_labels(vertex_labels);
  } else if constexpr (of_edges) {
    return batch.edge_labels(edge_labels);
  } else {
    return batch;
  }
}

}  // namespace detail

/// Graphs of the host as a batch in Views of a memory space of `ExecutionSpace`, which it owns: as they are, in their order, with each row by
/// rising columns. Labels are of the caller's types, none by default. Whether such graphs are given by this or in Views of the caller's that hold
/// the same makes no difference to a bit of any value. p is not part of it (`starting_probabilities`). Copies on `space` and fences it. Throws `Error` that names the graph, the attribute and
/// the value where one is missing, or is not a number that the label holds.
template <class VertexLabel = NoLabel, class EdgeLabel = NoLabel, class ExecutionSpace>
auto graph_batch(const ExecutionSpace& space, std::span<const Graph> graphs, const LabelNames& names = {}) {
  using Memory = typename ExecutionSpace::memory_space;
  detail::require_kokkos("graph_batch");
  const auto copy = [&space](const char* name, const auto& values) {
    return detail::to_memory<Memory>(space, name, values);
  };
  const detail::JoinedRows rows(graphs);
  const auto plain = GraphBatch(copy("graph_offsets", rows.graph_offsets), copy("row_offsets", rows.row_offsets),
                                copy("columns", rows.columns))
                         .weights(copy("weights", rows.weights));
  std::vector<VertexLabel> of_vertices;
  std::vector<EdgeLabel> of_entries;
  std::size_t entry = 0;
  for (const Graph& graph : graphs) {
    if constexpr (!std::is_same_v<VertexLabel, NoLabel>) {
      const std::vector<VertexLabel> labels = detail::labels_of<VertexLabel>(graph, true, names);
      of_vertices.insert(of_vertices.end(), labels.begin(), labels.end());
    }
    if constexpr (!std::is_same_v<EdgeLabel, NoLabel>) {
      const std::vector<EdgeLabel> labels = detail::labels_of<EdgeLabel>(graph, false, names);
      for (const std::size_t end = entry + 2 * graph.edge_count(); entry < end; ++entry) {
        of_entries.push_back(labels[rows.edges[entry]]);
      }
    }
  }
  const auto vertex_labels = copy("vertex_labels", of_vertices);
  const auto edge_labels = copy("edge_labels", of_entries);
  space.fence("octile::graph_batch");  // before the host's copies go
  return detail::labelled<VertexLabel, EdgeLabel>(plain, vertex_labels, edge_labels);
}

/// The starting probabilities or weights of graphs, a number a vertex, as the fourth member of a `TypedKernel` takes them. Fences `space`.
template <class ExecutionSpace>
auto starting_probabilities(const ExecutionSpace& space, std::span<const Graph> graphs) {
  detail::require_kokkos("starting_probabilities");
  std::vector<double> all;
  for (const Graph& graph : graphs) {
    const std::span<const double> of_graph = graph.starting_probability();
    all.insert(all.end(), of_graph.begin(), of_graph.end());
  }
  auto view = detail::to_memory<typename ExecutionSpace::memory_space>(space, "starting", all);
  space.fence("octile::starting_probabilities");
  return view;
}

}  // namespace octile
