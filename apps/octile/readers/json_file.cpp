// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "readers/formats.hpp"
#include "readers/node_link.hpp"
#include "readers/strict_json.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

/// The graphs of a JSON document: one object, or a list of them.
class JsonGraphs {
 public:
  explicit JsonGraphs(const std::string& path) : file_(path), base_(file_name(path)) {}

  std::optional<ReadGraph> next() {
    if (!std::exchange(read_, true)) read();
    if (number_ == graphs_.size()) return std::nullopt;
    // A graph's document is freed once it has become a graph.
    const json graph = std::exchange(graphs_[number_++], json());
    const std::string place = alone_ ? file_.path() : fmt::format("{}: graph {}", file_.path(), number_);
    try {
      if (!graph.is_object()) throw Error(fmt::format("is {}; allowed is an object", in_quotes(graph.dump())));
      return ReadGraph{graph_of_node_link(graph, fmt::format("{}:{}", base_, number_))};
    } catch (const Error& error) {
      throw RefusedGraph(fmt::format("{}: {}", place, error.what()));
    }
  }

 private:
  void read() {
    std::string text;
    for (std::string line; file_.next(line);) text += line += '\n';
    if (trimmed(text).empty()) return;
    json document;
    try {
      document = parse_strictly(text);
    } catch (const JsonFault& fault) {
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(fault.position(), text.size()));
      const auto line = std::min<std::ptrdiff_t>(std::count(text.begin(), end, '\n') + 1,
                                                 static_cast<std::ptrdiff_t>(file_.line_number()));
      throw Error(fmt::format("{}:{}: {}", file_.path(), line, fault.what()));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", file_.path(), error.what()));
    }
    alone_ = !document.is_array();
    if (alone_) {
      graphs_.push_back(std::move(document));
    } else {
      graphs_ = std::move(document.get_ref<json::array_t&>());
    }
  }

  TextFile file_;
  std::string base_;
  bool read_ = false;
  bool alone_ = false;
  json::array_t graphs_;
  std::size_t number_ = 0;  ///< of the last graph, from 1
};

}  // namespace

GraphReader json_reader(const std::string& path, const ReadOptions&) {
  return [graphs = std::make_shared<JsonGraphs>(path)] { return graphs->next(); };
}

}  // namespace octile::app
