// SPDX-License-Identifier: BSD-3-Clause
#include "graphs.hpp"

#include "arrays.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <octile/start.hpp>
#include <octile/stopping.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace nb = nanobind;

namespace octile::python {
namespace {

/// FNV-1a, which is the same on every machine and in every process.
class Hash {
 public:
  void bytes(const void* data, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t k = 0; k < count; ++k) value_ = (value_ ^ at[k]) * 0x100000001b3ULL;
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void add(const T& number) { bytes(&number, sizeof number); }
  void add(const std::string& text) {
    add(text.size());
    bytes(text.data(), text.size());
  }
  template <class T>
  void add(const std::vector<T>& all) {
    add(all.size());
    for (const T& one : all) add(one);
  }
  void add(const LabelColumns& columns) {
    for (const auto& [name, column] : columns) {
      add(name);
      add(column.index());
      std::visit([this](const auto& values) { add(values); }, column);
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

std::uint64_t hash_of(const Graph& graph) {
  Hash hash;
  hash.add(graph.vertex_count());
  for (const Edge& edge : graph.edges()) {
    hash.add(edge.i);
    hash.add(edge.j);
    hash.add(edge.weight);
  }
  hash.add(graph.vertex_labels());
  hash.add(graph.edge_labels());
  for (const double p : graph.starting_probability()) hash.add(p);
  return hash.value();
}

bool same_edges(const Graph& a, const Graph& b) {
  return std::ranges::equal(a.edges(), b.edges(), [](const Edge& x, const Edge& y) {
    return x.i == y.i && x.j == y.j && x.weight == y.weight;
  });
}

/// A column as Python hands it over: its type's name, and an array or a list.
LabelColumn to_column(const std::string& type, nb::handle values) {
  if (type == "integer") {
    const auto array = nb::cast<Given<std::int64_t, 1>>(values);
    return std::vector<std::int64_t>(array.data(), array.data() + array.size());
  }
  if (type == "real") {
    const auto array = nb::cast<Given<double, 1>>(values);
    return std::vector<double>(array.data(), array.data() + array.size());
  }
  if (type == "text") return nb::cast<std::vector<std::string>>(values);
  if (type == "list of reals") return nb::cast<std::vector<RealList>>(values);
  return nb::cast<std::vector<TextList>>(values);
}

LabelColumns to_columns(const nb::dict& columns) {
  LabelColumns made;
  for (const auto& [name, column] : columns) {
    const auto pair = nb::cast<nb::tuple>(column);
    made.emplace(nb::cast<std::string>(name), to_column(nb::cast<std::string>(pair[0]), pair[1]));
  }
  return made;
}

nb::object from_column(const LabelColumn& column) {
  return std::visit(
      [](const auto& values) -> nb::object {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_arithmetic_v<Value>) {
          return to_numpy(values);
        } else {
          return nb::cast(values);
        }
      },
      column);
}

nb::dict from_columns(const LabelColumns& columns) {
  nb::dict made;
  for (const auto& [name, column] : columns) {
    made[name.c_str()] = nb::make_tuple(std::string(column_type_name(column)), from_column(column));
  }
  return made;
}

SharedGraph make_graph(std::string name, std::int32_t vertex_count, const Given<std::int32_t, 2>& ends,
                       const Given<double, 1>& weights, const nb::dict& vertex_labels, const nb::dict& edge_labels,
                       const std::optional<Given<double, 1>>& starting_weights,
                       const std::map<std::string, double>& targets) {
  std::vector<Edge> edges(ends.shape(0));
  for (std::size_t k = 0; k < edges.size(); ++k)
    edges[k] = {ends.data()[2 * k], ends.data()[2 * k + 1], weights.data()[k]};
  Graph graph = Graph::from_edges(std::move(name), vertex_count, std::move(edges), to_columns(vertex_labels),
                                  to_columns(edge_labels));
  if (starting_weights) {
    graph.set_starting_weights({starting_weights->data(), starting_weights->data() + starting_weights->size()});
  }
  graph.set_targets(targets);
  return SharedGraph(std::move(graph));
}

nb::object edge_ends(const Graph& graph) {
  std::vector<std::int32_t> ends;
  ends.reserve(2 * graph.edge_count());
  for (const Edge& edge : graph.edges()) ends.insert(ends.end(), {edge.i, edge.j});
  return to_numpy(std::move(ends), {graph.edge_count(), 2});
}

nb::object edge_weights(const Graph& graph) {
  std::vector<double> weights;
  weights.reserve(graph.edge_count());
  for (const Edge& edge : graph.edges()) weights.push_back(edge.weight);
  return to_numpy(std::move(weights));
}

nb::object starting_weights(const Graph& graph) {
  const std::span<const double> p = graph.starting_probability();
  return to_numpy(std::vector<double>(p.begin(), p.end()));
}

/// The starting weights by a rule, such as "degree", of graphs that had none of their own.
std::vector<SharedGraph> started(const std::vector<const SharedGraph*>& graphs, const std::string& start,
                                 const std::string& stopping) {
  const Start rule = Start::parse(start);
  std::vector<Graph> copies;
  copies.reserve(graphs.size());
  for (const SharedGraph* shared : graphs) copies.push_back(*shared->graph);
  rule.apply_to(copies, Stopping::parse(stopping));
  std::vector<SharedGraph> made;
  made.reserve(copies.size());
  for (Graph& copy : copies) made.emplace_back(std::move(copy));
  return made;
}

}  // namespace

SharedGraph::SharedGraph(Graph made) : graph(std::make_shared<const Graph>(std::move(made))), hash(hash_of(*graph)) {}

bool same_content(const SharedGraph& a, const SharedGraph& b) {
  if (a.graph == b.graph) return true;
  const Graph& x = *a.graph;
  const Graph& y = *b.graph;
  return a.hash == b.hash && x.vertex_count() == y.vertex_count() && same_edges(x, y) &&
         x.vertex_labels() == y.vertex_labels() && x.edge_labels() == y.edge_labels() &&
         std::ranges::equal(x.starting_probability(), y.starting_probability());
}

void bind_graphs(nb::module_& module) {
  nb::class_<SharedGraph>(module, "Graph")
      .def_static("make", make_graph, nb::arg("name"), nb::arg("vertex_count"), nb::arg("ends"), nb::arg("weights"),
                  nb::arg("vertex_labels"), nb::arg("edge_labels"), nb::arg("starting_weights").none(),
                  nb::arg("targets"))
      .def_prop_ro("name", [](const SharedGraph& self) { return self.graph->name(); })
      .def_prop_ro("vertex_count", [](const SharedGraph& self) { return self.graph->vertex_count(); })
      .def_prop_ro("edge_count", [](const SharedGraph& self) { return self.graph->edge_count(); })
      .def_prop_ro("targets", [](const SharedGraph& self) { return self.graph->targets(); })
      .def_ro("hash", &SharedGraph::hash)
      .def("ends", [](const SharedGraph& self) { return edge_ends(*self.graph); })
      .def("weights", [](const SharedGraph& self) { return edge_weights(*self.graph); })
      .def("starting_weights", [](const SharedGraph& self) { return starting_weights(*self.graph); })
      .def("vertex_labels", [](const SharedGraph& self) { return from_columns(self.graph->vertex_labels()); })
      .def("edge_labels", [](const SharedGraph& self) { return from_columns(self.graph->edge_labels()); })
      .def("same", same_content);
  module.def("started", started, nb::arg("graphs"), nb::arg("start"), nb::arg("stopping"));
}

}  // namespace octile::python
