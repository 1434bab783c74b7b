// SPDX-License-Identifier: BSD-3-Clause
#include "readers/node_link.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "readers/json_column.hpp"
#include "readers/read.hpp"
#include "readers/strict_json.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

void refuse_if_true(const json& graph, const char* key, std::string_view advice) {
  const auto found = graph.find(key);
  if (found == graph.end() || *found == json(false)) return;
  throw Error(fmt::format("'{}' is {}; allowed is false: {}", key, in_quotes(json_text(*found)), advice));
}

/// Refuses nodes and edges in another layout, or under a key in other letters: beside these they would be passed over.
void refuse_other_layouts(const json& graph) {
  constexpr std::array<std::string_view, 6> ours{"nodes", "edges", "links", "graph", "directed", "multigraph"};
  constexpr std::array<std::string_view, 3> others{"adjacency", "elements", "vertices"};
  for (const auto& [key, value] : graph.items()) {
    const std::string in_lower_case = lower_case(key);
    const bool misspelt =
        std::ranges::find(ours, key) == ours.end() && std::ranges::find(ours, in_lower_case) != ours.end();
    if (misspelt || std::ranges::find(others, in_lower_case) != others.end()) {
      throw Error(fmt::format("has {}; allowed are 'nodes' and 'edges' alone for nodes and edges", in_quotes(key)));
    }
  }
}

const json& array_of(const json& graph, const char* key, const char* other_key = nullptr) {
  auto found = graph.find(key);
  if (other_key != nullptr && graph.contains(other_key)) {
    if (found != graph.end()) throw Error(fmt::format("has '{}' and '{}'; allowed is one of the two", key, other_key));
    found = graph.find(other_key);
  }
  if (found == graph.end()) {
    throw Error(
        fmt::format("has no '{}'{}; expected is node-link JSON: {{\"nodes\": [{{\"id\": ...}}], \"edges\": "
                    "[{{\"source\": ..., \"target\": ...}}]}}",
                    key, other_key != nullptr ? fmt::format(" (nor '{}')", other_key) : ""));
  }
  if (!found->is_array()) throw Error(fmt::format("'{}' is {}; allowed is a list", key, in_quotes(json_text(*found))));
  return *found;
}

/// What the graph has beside nodes and edges, an object. networkx before version 1.10 wrote it as a list of pairs.
json properties_of(const json& graph) {
  const auto given = graph.find("graph");
  if (given == graph.end() || given->is_null()) return json::object();
  if (given->is_object()) return *given;
  const auto is_pair = [](const json& pair) { return pair.is_array() && pair.size() == 2 && pair[0].is_string(); };
  if (!given->is_array() || !std::ranges::all_of(*given, is_pair)) {
    throw Error(fmt::format("'graph' is {}; allowed is an object, or a list of pairs [key, value]",
                            in_quotes(json_text(*given))));
  }
  json properties = json::object();
  for (const json& pair : *given) {
    const auto key = pair[0].get<std::string>();
    if (properties.contains(key)) {
      throw Error(fmt::format("'graph' has the key {} twice; allowed is once", in_quotes(key)));
    }
    properties[key] = pair[1];
  }
  return properties;
}

std::string name_of(const json& graph, const json& properties, const std::string& default_name) {
  for (const json* place : {&properties, &graph}) {
    const auto found = place->find("name");
    if (found == place->end() || found->is_null()) continue;
    std::string name = found->is_string() ? found->get<std::string>() : json_text(*found);
    if (!name.empty()) return name;
  }
  return default_name;
}

/// The numbers under `targets` of the graph; null is a target that is unknown.
std::map<std::string, double> targets_of(const json& properties) {
  std::map<std::string, double> targets;
  if (!properties.contains("targets")) return targets;
  const json& given = properties["targets"];
  if (!given.is_object()) {
    throw Error(fmt::format("'targets' is {}; allowed is an object of numbers", in_quotes(json_text(given))));
  }
  for (const auto& [target, value] : given.items()) {
    if (value.is_null()) continue;
    if (!value.is_number()) {
      throw Error(fmt::format("target '{}' is {}; allowed is a number, or null", target, in_quotes(json_text(value))));
    }
    targets.emplace(target, value.get<double>());
  }
  return targets;
}

const json& member(const json& element, const char* key, const std::string& what) {
  if (!element.is_object()) {
    throw Error(fmt::format("{} is {}; allowed is an object", what, in_quotes(json_text(element))));
  }
  const auto found = element.find(key);
  if (found == element.end()) throw Error(fmt::format("{} has no '{}'", what, key));
  return *found;
}

/// What tells identifiers apart. Texts of GML may hold bytes that are no UTF-8.
std::string key_of(const json& id) { return id.is_string() ? '"' + id.get<std::string>() : json_text(id); }

/// An identifier in a message: a text has the quotes of JSON, by which "1" is not 1.
std::string shown_id(const json& id) {
  constexpr std::size_t longest = 60;
  return id.is_string() ? shortened(json_text(id), longest) : in_quotes(json_text(id));
}

/// Vertices by identifier, numbered in the order of the file. An identifier is any JSON value, compared as written.
class Vertices {
 public:
  explicit Vertices(const json& nodes) {
    // networkx may be told to call it "name", and so do pages that draw graphs.
    const auto has = [&nodes](const char* key) {
      return std::ranges::any_of(nodes, [key](const json& node) { return node.is_object() && node.contains(key); });
    };
    if (!has("id") && has("name")) key_ = "name";
    for (const json& node : nodes) {
      const json& identifier = member(node, key_, fmt::format("node number {}", elements_.size() + 1));
      const std::string id = key_of(identifier);
      has_integers_ = has_integers_ || identifier.is_number_integer();
      if (!numbers_.emplace(id, static_cast<std::int32_t>(elements_.size())).second) {
        throw Error(fmt::format("node id {} is given twice", shown_id(identifier)));
      }
      elements_.push_back(&node);
    }
  }

  std::optional<std::int32_t> with_id(const json& id) const {
    const auto found = numbers_.find(key_of(id));
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The vertex at a position from 0.
  std::optional<std::int32_t> at(const json& position) const {
    if (!position.is_number_integer() || position.get<std::int64_t>() < 0) return std::nullopt;
    if (position.get<std::uint64_t>() >= elements_.size()) return std::nullopt;
    return position.get<std::int32_t>();
  }

  /// Whether an identifier is an integer, so that integers at the ends of edges may be identifiers.
  bool has_integers() const { return has_integers_; }

  std::string describe(std::size_t k) const { return fmt::format("node {}", json_text((*elements_[k])[key_])); }
  /// The key of the identifiers.
  const char* key() const { return key_; }
  const std::vector<const json*>& elements() const { return elements_; }

 private:
  const char* key_ = "id";
  bool has_integers_ = false;
  std::vector<const json*> elements_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

/// What integers at the ends of edges are.
enum class Ends { ids, positions };

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// The ends of all edges, if they can be read so.
std::optional<Pairs> ends_read_as(Ends ends, const json& links, const Vertices& vertices) {
  Pairs pairs;
  for (const json& link : links) {
    if (!link.is_object() || !link.contains("source") || !link.contains("target")) return std::nullopt;
    const auto number = [&](const json& end) { return ends == Ends::ids ? vertices.with_id(end) : vertices.at(end); };
    const auto source = number(link["source"]);
    const auto target = number(link["target"]);
    if (!source || !target) return std::nullopt;
    pairs.emplace_back(*source, *target);
  }
  return pairs;
}

/// Whether edges stand as every version of networkx writes them: under the node that comes first, in the order of the nodes.
bool in_order_of_nodes(const Pairs& pairs) {
  return std::ranges::is_sorted(pairs, {}, &Pairs::value_type::first) &&
         std::ranges::all_of(pairs, [](const auto& pair) { return pair.first <= pair.second; });
}

/// networkx wrote positions before version 2, with the graph's properties in pairs before version 1.10 and as an object, like
/// later versions, in 1.10 and 1.11. It wrote ids with `links` from version 2 and with `edges` from 3.4 on. Only the
/// order of edges tells 1.10 from 2.
Ends ends_of(const json& graph, const json& links, const Vertices& vertices) {
  const bool has_pairs = graph.contains("graph") && graph["graph"].is_array();
  const bool has_links = graph.contains("links");
  if (!vertices.has_integers() || (has_pairs && has_links)) return Ends::positions;
  if (!has_pairs && !has_links) return Ends::ids;
  const auto ids = ends_read_as(Ends::ids, links, vertices);
  const auto positions = ends_read_as(Ends::positions, links, vertices);
  if (!positions || ids == positions) return Ends::ids;
  const bool from_networkx =
      has_links && graph.contains("graph") && graph.contains("directed") && graph.contains("multigraph");
  const bool may_be_positions = from_networkx && in_order_of_nodes(*positions);
  if (!ids) return may_be_positions ? Ends::positions : Ends::ids;
  const bool may_be_ids = from_networkx && in_order_of_nodes(*ids);
  if (may_be_ids != may_be_positions) return may_be_ids ? Ends::ids : Ends::positions;
  throw Error(
      "the integers under 'source' and 'target' may be ids of nodes or, as networkx before version 2 wrote them, their "
      "positions; allowed are 'edges' in place of 'links' if they are ids, and texts as ids");
}

/// The vertex at the end of an edge. An end that is no integer is an id.
std::int32_t vertex_at_end(const json& end, Ends ends, const Vertices& vertices, const std::string& what) {
  const bool is_position = ends == Ends::positions && end.is_number_integer();
  // Beside ids that are no integers, an integer that is no position is no id either.
  const auto found = is_position ? vertices.at(end) : vertices.with_id(end);
  if (found) return *found;
  if (!is_position || !vertices.has_integers()) {
    throw Error(fmt::format("{}: there is no node of id {}", what, shown_id(end)));
  }
  throw Error(
      fmt::format("{}: there is no node at the position {}, counted from 0: as 'graph' is a list, networkx before "
                  "version 1.10 wrote this, with positions",
                  what, shown_id(end)));
}

double weight_of(const json& edge, bool expected, const std::string& what) {
  const auto found = edge.find("weight");
  if ((found != edge.end()) != expected) {
    throw Error(fmt::format("{} {} a 'weight' and others {}; allowed is all or none", what, expected ? "lacks" : "has",
                            expected ? "have one" : "lack it"));
  }
  if (!expected) return 1.0;
  if (!found->is_number() || !(found->get<double>() >= 0)) {
    throw Error(fmt::format("{}: 'weight' is {}; allowed is a finite number >= 0", what, in_quotes(json_text(*found))));
  }
  return found->get<double>();
}

}  // namespace

Graph graph_of_node_link(const json& graph, const std::string& default_name) {
  refuse_if_true(graph, "directed", "graphs are undirected (in networkx: graph.to_undirected())");
  refuse_if_true(graph, "multigraph", "two vertices have at most one edge (in networkx: nx.Graph(graph))");

  refuse_other_layouts(graph);

  const Vertices vertices(array_of(graph, "nodes"));
  const auto describe_vertex = [&vertices](std::size_t k) { return vertices.describe(k); };

  // networkx 3.4 renamed "links" to "edges".
  const json& links = array_of(graph, "edges", "links");
  const Ends ends = ends_of(graph, links, vertices);
  std::vector<const json*> elements;
  std::vector<Edge> edges;
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  const auto describe_edge = [&elements](std::size_t k) {
    return fmt::format("edge ({}, {})", json_text((*elements[k])["source"]), json_text((*elements[k])["target"]));
  };
  for (const json& link : links) {
    const std::string place = fmt::format("edge number {}", elements.size() + 1);
    const json& source = member(link, "source", place);
    const json& target = member(link, "target", place);
    elements.push_back(&link);
    const std::string what = describe_edge(elements.size() - 1);
    Edge edge{vertex_at_end(source, ends, vertices, what), vertex_at_end(target, ends, vertices, what), 1.0};
    if (edge.i == edge.j) throw Error(fmt::format("{} is a self-loop; allowed are two vertices", what));
    if (!seen.insert(std::minmax(edge.i, edge.j)).second) {
      throw Error(fmt::format("{} is given twice; allowed is once, in either direction", what));
    }
    edge.weight = weight_of(link, elements.front()->contains("weight"), what);
    edges.push_back(edge);
  }
  const json properties = properties_of(graph);
  Graph result =
      Graph::from_edges(name_of(graph, properties, default_name), static_cast<std::int32_t>(vertices.elements().size()),
                        std::move(edges), json_columns(vertices.elements(), {vertices.key()}, describe_vertex),
                        json_columns(elements, {"source", "target", "weight"}, describe_edge));
  result.set_targets(targets_of(properties));
  return result;
}

LineParser node_link_parser() {
  return [](std::string_view line, const std::string& default_name) {
    const json document = parse_strictly(line);
    if (!document.is_object()) throw Error(fmt::format("is {}; allowed is one JSON object a line", in_quotes(line)));
    return graph_of_node_link(document, default_name);
  };
}

}  // namespace octile::app
