// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "readers/decoder.hpp"
#include "readers/formats.hpp"
#include "readers/json_column.hpp"
#include "readers/python_dict.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

/// Reads lines `I J [WEIGHT]` or `I J {...}`, as networkx writes them, all of one graph. Vertices are words, numbered as they appear.
class EdgeList {
 public:
  explicit EdgeList(const std::string& path) : file_(path) {}

  Graph read(const std::string& name) {
    for (std::string line; file_.next(line);) {
      const std::string_view text = trimmed(line);
      if (text.empty() || text.front() == '#' || text.front() == '%') continue;
      try {
        add(text);
      } catch (const Error& error) {
        throw RefusedGraph(fmt::format("{}: {}", file_.place(), error.what()));
      }
    }
    if (edges_.empty()) throw RefusedGraph(fmt::format("{}: holds no edge; allowed is one or more", file_.path()));
    try {
      std::vector<const json*> records;
      for (const json& record : records_) records.push_back(&record);
      return Graph::from_edges(
          name, static_cast<std::int32_t>(numbers_.size()), std::move(edges_), {},
          json_columns(records, {"weight"}, [this](std::size_t k) { return fmt::format("line {}", lines_[k]); }));
    } catch (const Error& error) {
      throw RefusedGraph(fmt::format("{}: {}", file_.path(), error.what()));
    }
  }

 private:
  /// An edge that was given, and in which direction.
  struct Given {
    std::size_t line;
    bool forward;
    bool backward;
    std::size_t edge;  ///< its place in the list
  };

  void add(std::string_view line);

  std::int32_t number(std::string_view word) {
    return numbers_.try_emplace(std::string(word), static_cast<std::int32_t>(numbers_.size())).first->second;
  }

  TextFile file_;
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::map<std::pair<std::int32_t, std::int32_t>, Given> given_;
  std::vector<Edge> edges_;
  std::vector<json> records_;       ///< the attributes of each edge
  std::vector<std::size_t> lines_;  ///< where each edge is given first
  std::optional<bool> weighted_;
};

/// The words of a line, which white space, a comma, or both separate; the third is the rest of the line.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::size_t most = 3;
  std::vector<std::string_view> words;
  while (!line.empty() && words.size() + 1 < most) {
    words.push_back(line.substr(0, line.find_first_of(" \t,")));
    line = trimmed(line.substr(words.back().size()));
    if (line.starts_with(',')) line = trimmed(line.substr(1));
  }
  if (!line.empty()) words.push_back(line);
  return words;
}

void EdgeList::add(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  json record = json::object();
  double weight = 1;
  bool weighted = words.size() == 3;
  if (weighted && words.back().starts_with('{')) {
    record = parse_python_dict(words.back());
    weighted = record.contains("weight");
    if (weighted) weight = record["weight"].is_number() ? record["weight"].get<double>() : -1;
  } else if (weighted) {
    weight = finite_number(words.back()).value_or(-1);
  }
  if (words.size() < 2 || weight < 0) {
    throw Error(
        fmt::format("{} is no edge; allowed are two vertices, and a weight, a finite number >= 0, or a dict of "
                    "attributes, or none",
                    in_quotes(line)));
  }
  if (weighted_.value_or(weighted) != weighted) {
    throw Error(fmt::format("{} {} a weight, and the lines before {}; allowed is all or none", in_quotes(line),
                            weighted ? "has" : "lacks", weighted ? "lack it" : "have one"));
  }
  weighted_ = weighted;
  const Edge edge{number(words[0]), number(words[1]), weight};
  if (edge.i == edge.j) throw Error(fmt::format("{} is a self-loop; allowed are two vertices", in_quotes(line)));
  const bool forward = edge.i < edge.j;
  const auto [known, first] =
      given_.try_emplace(std::minmax(edge.i, edge.j), Given{file_.line_number(), false, false, edges_.size()});
  Given& given = known->second;
  if (std::exchange(forward ? given.forward : given.backward, true)) {
    throw Error(fmt::format("{} is given twice, first in line {}; allowed is once in each direction", in_quotes(line),
                            given.line));
  }
  if (first) {
    edges_.push_back(edge);
    records_.push_back(std::move(record));
    lines_.push_back(given.line);
    return;
  }
  if (edges_[given.edge].weight != edge.weight) {
    throw Error(fmt::format("{} has not the weight {} of the other direction, in line {}; allowed are equal ones",
                            in_quotes(line), edges_[given.edge].weight, given.line));
  }
  if (records_[given.edge] != record) {
    throw Error(fmt::format("{} has not the attributes of the other direction, in line {}; allowed are equal ones",
                            in_quotes(line), given.line));
  }
}

}  // namespace

GraphReader edge_list_reader(const std::string& path, const ReadOptions&) {
  const auto list = std::make_shared<EdgeList>(path);
  const std::string name = std::filesystem::path(without_compression(file_name(path))).stem().string();
  return [list, name, done = false]() mutable -> std::optional<ReadGraph> {
    if (std::exchange(done, true)) return std::nullopt;
    return ReadGraph{list->read(name)};
  };
}

}  // namespace octile::app
