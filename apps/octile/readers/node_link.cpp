// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "readers/json_column.hpp"
#include "readers/read.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

json parse_json(std::string_view line) {
  // No graph needs more, and printing a value that is nested far deeper would overflow the stack.
  constexpr int deepest = 64;
  const auto check_depth = [&](int depth, json::parse_event_t, const json&) {
    if (depth > deepest) throw Error(fmt::format("is nested deeper than {} levels", deepest));
    return true;
  };
  try {
    return json::parse(line, check_depth);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: what": the reader names the line
    // itself.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
    constexpr std::string_view place = "parse error at line 1, ";
    if (what.starts_with(place)) what.remove_prefix(place.size());
    // Python writes such literals for values that are not finite.
    const bool not_finite = what.find("invalid literal") != std::string_view::npos;
    throw Error(fmt::format("is not JSON{}: {}", not_finite ? " (in which NaN and Infinity do not exist)" : "",
                            in_quotes(what, 160)));
  }
}

void refuse_if_true(const json& graph, const char* key, std::string_view advice) {
  const auto found = graph.find(key);
  if (found == graph.end() || *found == json(false)) return;
  throw Error(fmt::format("'{}' is {}; allowed is false: {}", key, in_quotes(found->dump()), advice));
}

const json& array_of(const json& graph, const char* key, const char* other_key = nullptr) {
  auto found = graph.find(key);
  if (found == graph.end() && other_key != nullptr) found = graph.find(other_key);
  if (found == graph.end()) {
    throw Error(
        fmt::format("has no '{}'{}; expected is node-link JSON: {{\"nodes\": [{{\"id\": ...}}], \"edges\": "
                    "[{{\"source\": ..., \"target\": ...}}]}}",
                    key, other_key != nullptr ? fmt::format(" (nor '{}')", other_key) : ""));
  }
  if (!found->is_array()) throw Error(fmt::format("'{}' is {}; allowed is a list", key, in_quotes(found->dump())));
  return *found;
}

std::string name_of(const json& graph, const std::string& default_name) {
  for (const json* place : {graph.contains("graph") ? &graph["graph"] : nullptr, &graph}) {
    if (place == nullptr || !place->is_object()) continue;
    const auto found = place->find("name");
    if (found == place->end() || found->is_null()) continue;
    std::string name = found->is_string() ? found->get<std::string>() : found->dump();
    if (!name.empty()) return name;
  }
  return default_name;
}

const json& member(const json& element, const char* key, const std::string& what) {
  if (!element.is_object()) {
    throw Error(fmt::format("{} is {}; allowed is an object", what, in_quotes(element.dump())));
  }
  const auto found = element.find(key);
  if (found == element.end()) throw Error(fmt::format("{} has no '{}'", what, key));
  return *found;
}

/// Vertices by identifier, numbered in the order of the file. An identifier is any JSON value, compared as written.
class Vertices {
 public:
  explicit Vertices(const json& nodes) {
    for (const json& node : nodes) {
      const std::string id = member(node, "id", fmt::format("node number {}", elements_.size() + 1)).dump();
      if (!numbers_.emplace(id, static_cast<std::int32_t>(elements_.size())).second) {
        throw Error(fmt::format("node id {} is given twice", in_quotes(id)));
      }
      elements_.push_back(&node);
    }
  }

  std::int32_t number(const json& id, const std::string& what) const {
    const auto found = numbers_.find(id.dump());
    if (found == numbers_.end()) throw Error(fmt::format("{}: there is no node of id {}", what, in_quotes(id.dump())));
    return found->second;
  }

  std::string describe(std::size_t k) const { return fmt::format("node {}", (*elements_[k])["id"].dump()); }
  const std::vector<const json*>& elements() const { return elements_; }

 private:
  std::vector<const json*> elements_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

double weight_of(const json& edge, bool expected, const std::string& what) {
  const auto found = edge.find("weight");
  if ((found != edge.end()) != expected) {
    throw Error(fmt::format("{} {} a 'weight' and others {}; allowed is all or none", what, expected ? "lacks" : "has",
                            expected ? "have one" : "lack it"));
  }
  if (!expected) return 1.0;
  if (!found->is_number() || !(found->get<double>() >= 0)) {
    throw Error(fmt::format("{}: 'weight' is {}; allowed is a finite number >= 0", what, in_quotes(found->dump())));
  }
  return found->get<double>();
}

Graph parse_node_link(std::string_view line, const std::string& default_name) {
  const json graph = parse_json(line);
  if (!graph.is_object()) throw Error(fmt::format("is {}; allowed is one JSON object a line", in_quotes(line)));
  refuse_if_true(graph, "directed", "graphs are undirected (in networkx: graph.to_undirected())");
  refuse_if_true(graph, "multigraph", "two vertices have at most one edge (in networkx: nx.Graph(graph))");

  const Vertices vertices(array_of(graph, "nodes"));
  const auto describe_vertex = [&vertices](std::size_t k) { return vertices.describe(k); };

  // networkx 3.4 renamed "links" to "edges".
  const json& links = array_of(graph, "edges", "links");
  std::vector<const json*> elements;
  std::vector<Edge> edges;
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  const auto describe_edge = [&elements](std::size_t k) {
    return fmt::format("edge ({}, {})", (*elements[k])["source"].dump(), (*elements[k])["target"].dump());
  };
  for (const json& link : links) {
    const std::string place = fmt::format("edge number {}", elements.size() + 1);
    const json& source = member(link, "source", place);
    const json& target = member(link, "target", place);
    elements.push_back(&link);
    const std::string what = describe_edge(elements.size() - 1);
    Edge edge{vertices.number(source, what), vertices.number(target, what), 1.0};
    if (edge.i == edge.j) throw Error(fmt::format("{} is a self-loop; allowed are two vertices", what));
    if (!seen.insert(std::minmax(edge.i, edge.j)).second) {
      throw Error(fmt::format("{} is given twice; allowed is once, in either direction", what));
    }
    edge.weight = weight_of(link, elements.front()->contains("weight"), what);
    edges.push_back(edge);
  }
  return Graph::from_edges(name_of(graph, default_name), static_cast<std::int32_t>(vertices.elements().size()),
                           std::move(edges), json_columns(vertices.elements(), {"id"}, describe_vertex),
                           json_columns(elements, {"source", "target", "weight"}, describe_edge));
}

}  // namespace

LineParser node_link_parser() { return parse_node_link; }

}  // namespace octile::app
