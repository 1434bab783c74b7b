// SPDX-License-Identifier: BSD-3-Clause
#include <expat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "readers/byte_file.hpp"
#include "readers/formats.hpp"
#include "readers/node_link.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

/// A declared attribute: <key id="d0" for="node" attr.name="color" attr.type="string"><default>…</default></key>
struct Key {
  std::string target;  ///< "node", "edge", "graph" or "all"
  std::string name;    ///< empty for one of a program's own, which is passed over
  std::string type;
  std::optional<std::string> fallback;
};

bool is_real(std::string_view type) { return type == "double" || type == "float"; }

json value_of(const Key& key, std::string_view text) {
  if (key.type == "string" || key.type.empty()) return text;
  text = trimmed(text);
  const auto refuse = [&](std::string_view allowed) {
    return Error(fmt::format("'{}' is {}; allowed is {}", key.name, in_quotes(text), allowed));
  };
  if (is_real(key.type)) {
    const std::optional<double> value = finite_number(text);
    if (!value) throw refuse("a finite number");
    return *value;
  }
  if (key.type == "boolean") {
    const std::string word = lower_case(text);
    if (word != "true" && word != "false" && word != "1" && word != "0") throw refuse("true or false");
    return word == "true" || word == "1";
  }
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) throw refuse("a whole number");
  return value;
}

/// Throws `Error` where there is one of that name.
void add_once(json& attributes, const std::string& name, json value) {
  if (attributes.contains(name)) {
    throw Error(fmt::format("the attribute {} is given twice; allowed is once", in_quotes(name)));
  }
  attributes[name] = std::move(value);
}

/// Parses a file as it is read, and makes node-link JSON of each graph.
class GraphmlFile {
 public:
  explicit GraphmlFile(const std::string& path)
      : path_(shown(path)), base_(file_name(path)), file_(path), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          static_cast<GraphmlFile*>(self)->guarded([&](GraphmlFile& file) { file.begin(name, attributes); });
        },
        [](void* self, const XML_Char* name) {
          static_cast<GraphmlFile*>(self)->guarded([&](GraphmlFile& file) { file.end(name); });
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const XML_Char* text, int length) {
      static_cast<GraphmlFile*>(self)->guarded(
          [&](GraphmlFile& file) { file.text_.append(text, static_cast<std::size_t>(length)); });
    });
  }

  std::optional<ReadGraph> next() {
    while (next_ == done_.size() && !ended_) parse_more();
    if (next_ == done_.size()) return std::nullopt;
    auto result = std::move(done_[next_++]);
    if (next_ == done_.size()) {
      done_.clear();
      next_ = 0;
    }
    if (auto* refused = std::get_if<RefusedGraph>(&result)) throw *refused;
    return std::get<ReadGraph>(std::move(result));
  }

 private:
  using Attributes = std::unordered_map<std::string, std::string>;

  void parse_more();
  void begin(std::string_view name, const XML_Char** attributes);
  void end(std::string_view name);
  void begin_key(const Attributes& attributes);
  void begin_element(std::string_view name, Attributes given);
  void end_default();
  void end_data();
  void end_element();
  void end_graph();

  std::size_t line() const { return XML_GetCurrentLineNumber(parser_.get()); }

  /// What is wrong with a graph refuses that graph, with the first reason. No exception may pass through expat.
  template <class Work>
  void guarded(const Work& work) {
    if (fault_) return;
    try {
      work(*this);
    } catch (const Error& error) {
      const std::string what = fmt::format("{}:{}: {}", path_, line(), error.what());
      if (depth_of_graph_ == 0) {
        fault_ = std::make_exception_ptr(Error(what));
      } else if (refused_.empty()) {
        refused_ = what;
      }
    } catch (...) {
      fault_ = std::current_exception();
    }
  }

  std::string path_;
  std::string base_;
  ByteFile file_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::exception_ptr fault_;
  bool ended_ = false;
  std::vector<std::variant<ReadGraph, RefusedGraph>> done_;  ///< what was parsed and not yet returned, from next_ on
  std::size_t next_ = 0;

  std::unordered_map<std::string, Key> keys_;
  std::string key_;   ///< the key that is read, or that of the data that is read
  std::string text_;  ///< of the element that is read
  std::size_t depth_ = 0;
  std::size_t depth_of_graph_ = 0;  ///< 0 outside of graphs
  std::size_t depth_of_data_ = 0;   ///< 0 outside of data
  std::size_t first_line_ = 0;      ///< of the graph
  std::size_t number_ = 0;          ///< of the graph, from 1
  std::string id_;                  ///< of the graph
  std::string refused_;             ///< why the graph is
  json graph_;
  json element_;      ///< the node or the edge that is read, or null
  std::string kind_;  ///< "node" or "edge"
};

void GraphmlFile::parse_more() {
  std::array<char, 1U << 16U> buffer = {};
  const std::size_t count = file_.read(buffer, line());
  ended_ = count == 0;
  const XML_Status status = XML_Parse(parser_.get(), buffer.data(), static_cast<int>(count), ended_ ? 1 : 0);
  if (fault_) std::rethrow_exception(fault_);
  if (status != XML_STATUS_ERROR) return;
  if (XML_GetErrorCode(parser_.get()) == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
  throw Error(fmt::format("{}:{}: is no XML: {}", path_, line(), XML_ErrorString(XML_GetErrorCode(parser_.get()))));
}

/// The name without its namespace's prefix.
std::string_view local_name(std::string_view name) { return name.substr(name.find(':') + 1); }

void GraphmlFile::begin(std::string_view name, const XML_Char** attributes) {
  Attributes given;
  for (const XML_Char** place = attributes; *place != nullptr; place += 2) given.emplace(place[0], place[1]);
  ++depth_;
  text_.clear();
  name = local_name(name);
  if (depth_ == 1 && name != "graphml") throw Error(fmt::format("begins with <{}>; expected is <graphml>", name));
  if (name == "key" && depth_of_graph_ == 0) return begin_key(given);
  if (name == "graph" && depth_of_graph_ == 0) {
    depth_of_graph_ = depth_;
    first_line_ = line();
    ++number_;
    id_ = given["id"];
    depth_of_data_ = 0;
    element_ = nullptr;
    refused_.clear();
    graph_ = {{"graph", json::object()}, {"nodes", json::array()}, {"edges", json::array()}};
    if (given["edgedefault"] == "directed") {
      throw Error("the graph is directed (edgedefault); allowed is undirected: in networkx, graph.to_undirected()");
    }
    return;
  }
  if (depth_of_graph_ == 0) return;
  if (depth_of_data_ == 0) return begin_element(name, std::move(given));
  // Data of a program's own, such as a drawing, may be anything.
  const auto key = keys_.find(key_);
  if (key == keys_.end() || key->second.name.empty()) return;
  throw Error(fmt::format("<{}> in the data of the key {}; allowed is text", name, in_quotes(key_)));
}

/// What stands in a graph outside of data.
void GraphmlFile::begin_element(std::string_view name, Attributes given) {
  constexpr std::array<std::string_view, 6> known = {"node", "edge", "data", "desc", "port", "locator"};
  if (std::ranges::find(known, name) == known.end()) {
    throw Error(fmt::format("<{}> in a graph; allowed are nodes and edges", printable(name)));
  }
  if (name == "data") {
    key_ = given["key"];
    depth_of_data_ = depth_;
  }
  if (name != "node" && name != "edge") return;
  if (!element_.is_null()) throw Error(fmt::format("<{}> in a {}; allowed is data", name, kind_));
  kind_ = name;
  element_ = json::object();
  for (const char* attribute : {"id", "source", "target"}) {
    const bool wanted = (name == "node") == (std::string_view(attribute) == "id");
    const auto found = given.find(attribute);
    if (wanted && found != given.end()) element_[attribute] = found->second;
  }
  if (given["directed"] == "true" || given["directed"] == "1")
    throw Error("the edge is directed; allowed are undirected ones");
}

void GraphmlFile::begin_key(const Attributes& attributes) {
  const auto attribute = [&attributes](const char* name, const char* otherwise) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::string(otherwise) : found->second;
  };
  key_ = attribute("id", "");
  Key key{attribute("for", "all"), attribute("attr.name", ""), attribute("attr.type", "string"), std::nullopt};
  constexpr std::array types = {"string", "double", "float", "boolean", "int", "long"};
  if (std::ranges::find(types, key.type) == types.end()) {
    throw Error(fmt::format("key {} has the type {}; allowed are boolean, int, long, float, double, string",
                            in_quotes(key_), in_quotes(key.type)));
  }
  // Names that stand for the element itself: some programs write them once more as attributes.
  const bool own = key.name == "id" || key.name == "source" || key.name == "target";
  if (own && key.target != "graph") key.name.clear();
  if (!keys_.try_emplace(key_, std::move(key)).second) {
    throw Error(fmt::format("the key {} is declared twice; allowed is once", in_quotes(key_)));
  }
}

void GraphmlFile::end_default() {
  const auto found = keys_.find(key_);
  if (found == keys_.end()) return;
  Key& key = found->second;
  // Which of two counts could not be told.
  for (const auto& [id, other] : keys_) {
    const bool together = other.target == key.target || other.target == "all" || key.target == "all";
    if (!other.fallback || key.name.empty() || other.name != key.name || !together) continue;
    throw Error(fmt::format("the attribute {} has two defaults; allowed is one", in_quotes(key.name)));
  }
  key.fallback = text_;
}

void GraphmlFile::end(std::string_view name) {
  name = local_name(name);
  const std::size_t depth = depth_--;
  if (name == "default" && depth_of_graph_ == 0) end_default();
  if (depth_of_graph_ == 0) return;
  if (depth == depth_of_graph_) return end_graph();
  if (depth_of_data_ > 0 && depth > depth_of_data_) return;
  depth_of_data_ = 0;
  if (name == "data") end_data();
  if (name == "node" || name == "edge") end_element();
}

void GraphmlFile::end_data() {
  const auto found = keys_.find(key_);
  if (found == keys_.end()) throw Error(fmt::format("<data> has the key {}, which is not declared", in_quotes(key_)));
  const Key& key = found->second;
  if (key.name.empty()) return;
  if (!element_.is_null()) return add_once(element_, key.name, value_of(key, text_));
  // Data of the graph itself: its name, and numbers to learn.
  if (key.name == "name") add_once(graph_["graph"], "name", text_);
  if (key.type != "string") {
    const json value = value_of(key, text_);
    add_once(graph_["graph"]["targets"], key.name, value.is_boolean() ? json(value.get<bool>() ? 1 : 0) : value);
  }
}

void GraphmlFile::end_element() {
  for (const auto& [id, key] : keys_) {
    if (key.name.empty() || !key.fallback || (key.target != kind_ && key.target != "all")) continue;
    if (!element_.contains(key.name)) element_[key.name] = value_of(key, *key.fallback);
  }
  graph_[kind_ == "node" ? "nodes" : "edges"].push_back(std::move(element_));
  element_ = nullptr;
}

void GraphmlFile::end_graph() {
  element_ = nullptr;
  if (refused_.empty()) {
    try {
      const std::string name = id_.empty() ? fmt::format("{}:{}", base_, number_) : id_;
      done_.emplace_back(ReadGraph{graph_of_node_link(graph_, name), first_line_});
    } catch (const Error& error) {
      refused_ = fmt::format("{}:{}: graph {}: {}", path_, first_line_, number_, error.what());
    }
  }
  depth_of_graph_ = 0;
  if (!refused_.empty()) done_.emplace_back(RefusedGraph(refused_));
}

}  // namespace

GraphReader graphml_reader(const std::string& path, const ReadOptions&) {
  const auto file = std::make_shared<GraphmlFile>(path);
  return [file] { return file->next(); };
}

}  // namespace octile::app
