// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "readers/formats.hpp"
#include "readers/json_column.hpp"
#include "readers/node_link.hpp"
#include "readers/text.hpp"
#include "readers/text_file.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

/// The text of GML: keys with values, which are numbers, texts in double quotes, or lists of keys with values in brackets.
///
///     graph [ node [ id 0 kind "a" ] node [ id 1 kind "b" ] edge [ source 0 target 1 weight 1.5 ] ]
class GmlText {
 public:
  explicit GmlText(const std::string& path) : path_(shown(path)) {
    TextFile file(path);
    for (std::string line; file.next(line);) {
      // A line that begins so is a comment.
      if (!trimmed(line).starts_with('#')) text_ += line;
      text_ += '\n';
    }
  }

  /// The next key and its value outside of any list; nothing at the end. A key that is repeated in a list has an array.
  std::optional<std::pair<std::string, json>> next() {
    skip_blanks();
    if (at_ == text_.size()) return std::nullopt;
    line_of_key_ = line_;
    std::string name = key();
    json its_value = value(0);
    return std::pair(std::move(name), std::move(its_value));
  }

  /// The line of the last such key.
  std::size_t line_of_key() const { return line_of_key_; }
  const std::string& path() const { return path_; }

 private:
  Error wrong(std::string_view allowed) const {
    const std::string_view rest = std::string_view(text_).substr(at_);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n"));
    return Error(fmt::format("{}:{}: {}; allowed is {}", path_, line_,
                             rest.empty() ? "the file ends here" : "found is " + in_quotes(word), allowed));
  }

  void skip_blanks() {
    for (; at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos; ++at_) {
      if (text_[at_] == '\n') ++line_;
    }
  }

  std::string key();
  json value(int depth);
  json list(int depth);
  std::string quoted();
  json number();

  std::string path_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_of_key_ = 1;
};

bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_'; }

std::string GmlText::key() {
  const std::size_t begin = at_;
  if (at_ == text_.size() || !is_letter(text_[at_])) throw wrong("a key, or the end of a list");
  while (at_ < text_.size() && (is_letter(text_[at_]) || (text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
  return text_.substr(begin, at_ - begin);
}

json GmlText::value(int depth) {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '[') return list(depth + 1);
  if (at_ < text_.size() && text_[at_] == '"') return quoted();
  return number();
}

json GmlText::list(int depth) {
  constexpr int deepest = 64;
  if (depth > deepest) throw wrong(fmt::format("a list within at most {} others", deepest));
  json result = json::object();
  for (++at_;;) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == ']') break;
    const std::string name = key();
    json its_value = value(depth);
    const auto known = result.find(name);
    if (known == result.end()) {
      result[name] = std::move(its_value);
    } else if (known->is_array()) {
      known->push_back(std::move(its_value));
    } else {
      *known = json::array({std::move(*known), std::move(its_value)});
    }
  }
  ++at_;
  return result;
}

/// A code point as UTF-8.
std::string utf8(std::uint32_t code) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  const auto rest = [&](unsigned shift) { return byte(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80U) return {byte(code)};
  if (code < 0x800U) return {byte(0xC0U | (code >> 6U)), rest(0)};
  if (code < 0x10000U) return {byte(0xE0U | (code >> 12U)), rest(6), rest(0)};
  return {byte(0xF0U | (code >> 18U)), rest(12), rest(6), rest(0)};
}

/// The text that "&name;" stands for; nothing for what is no such name.
std::optional<std::string> entity(std::string_view name) {
  constexpr std::array known = {std::pair("amp", "&"), std::pair("lt", "<"), std::pair("gt", ">"),
                                std::pair("quot", "\""), std::pair("apos", "'")};
  for (const auto& [word, text] : known) {
    if (name == word) return text;
  }
  std::uint32_t code = 0;
  if (!name.starts_with('#')) return std::nullopt;
  const auto [end, fault] = std::from_chars(name.data() + 1, name.data() + name.size(), code);
  constexpr std::uint32_t largest = 0x10FFFF;
  if (fault != std::errc() || end != name.data() + name.size() || code > largest) return std::nullopt;
  return utf8(code);
}

std::string GmlText::quoted() {
  const std::size_t end = text_.find('"', at_ + 1);
  if (end == std::string::npos) throw wrong("a text that is closed by a double quote");
  const std::string_view raw = std::string_view(text_).substr(at_ + 1, end - at_ - 1);
  line_ += static_cast<std::size_t>(std::ranges::count(raw, '\n'));
  at_ = end + 1;
  std::string result;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    const std::size_t semicolon = raw[k] == '&' ? raw.find(';', k) : std::string_view::npos;
    const std::optional<std::string> meant =
        semicolon == std::string_view::npos ? std::nullopt : entity(raw.substr(k + 1, semicolon - k - 1));
    result += meant ? *meant : std::string(1, raw[k]);
    if (meant) k = semicolon;
  }
  return result;
}

json GmlText::number() {
  const std::string_view rest = std::string_view(text_).substr(at_);
  std::string_view word = rest.substr(0, rest.find_first_of(" \t\n]"));
  const std::size_t length = word.size();
  if (word.starts_with('+')) word.remove_prefix(1);
  std::int64_t whole = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), whole);
  const bool is_whole = fault == std::errc() && end == word.data() + word.size();
  const std::optional<double> real = finite_number(word);
  if (!is_whole && !real) throw wrong("a finite number, a text in double quotes, or a list in brackets");
  if (!is_whole && word.find_first_of(".eE") == std::string_view::npos) throw wrong("an integer below 2^63, or a text");
  at_ += length;
  return is_whole ? json(whole) : json(*real);
}

/// The nodes or edges of a graph. Lists in them, such as `graphics`, describe drawings and are left out.
json elements_of(const json& graph, const char* key) {
  json elements = json::array();
  const auto found = graph.find(key);
  if (found == graph.end()) return elements;
  const json given = found->is_array() ? *found : json::array({*found});
  for (const json& element : given) {
    if (!element.is_object())
      throw Error(fmt::format("a {} is {}; allowed is a list", key, in_quotes(json_text(element))));
    json kept = json::object();
    for (const auto& [name, value] : element.items()) {
      if (value.is_object()) continue;
      kept[name] = value;
      // networkx marks so lists with less than two values.
      const json mark = "_networkx_list_start";
      if (value.is_array() && !value.empty() && value.front() == mark) kept[name].erase(0);
    }
    elements.push_back(std::move(kept));
  }
  return elements;
}

/// Throws `Error` for a list that nobody would read, though it looks like one that is.
void check_key(const std::string& key, const json& value, std::initializer_list<std::string_view> known) {
  if (!value.is_structured()) return;
  for (const std::string_view name : known) {
    const std::string word = lower_case(key);
    if (key != name && (word == name || word == fmt::format("{}s", name))) {
      throw Error(fmt::format("the list {} is none of the format; allowed is '{}'", in_quotes(key), name));
    }
  }
}

json node_link_of(const json& graph) {
  if (!graph.is_object()) throw Error(fmt::format("'graph' is {}; allowed is a list", in_quotes(json_text(graph))));
  for (const auto& [key, value] : graph.items()) check_key(key, value, {"node", "edge"});
  json document = {{"graph", json::object()}};
  for (const char* flag : {"directed", "multigraph"}) document[flag] = graph.contains(flag) && graph[flag] != json(0);
  for (const auto& [key, value] : graph.items()) {
    constexpr std::array own = {"directed", "multigraph", "id", "version", "Version"};
    if (value.is_number() && std::ranges::find(own, key) == own.end()) document["graph"]["targets"][key] = value;
  }
  for (const char* name : {"name", "label"}) {
    if (graph.contains(name) && graph[name].is_string() && !document["graph"].contains("name")) {
      document["graph"]["name"] = graph[name];
    }
  }
  document["nodes"] = elements_of(graph, "node");
  document["edges"] = elements_of(graph, "edge");
  return document;
}

}  // namespace

GraphReader gml_reader(const std::string& path, const ReadOptions&) {
  const auto text = std::make_shared<GmlText>(path);
  return [text, base = file_name(path), number = std::size_t{0}]() mutable -> std::optional<ReadGraph> {
    while (const auto entry = text->next()) {
      if (entry->first != "graph") {
        try {
          check_key(entry->first, entry->second, {"graph"});
        } catch (const Error& error) {
          throw Error(fmt::format("{}:{}: {}", text->path(), text->line_of_key(), error.what()));
        }
        continue;
      }
      ++number;
      try {
        return ReadGraph{graph_of_node_link(node_link_of(entry->second), fmt::format("{}:{}", base, number)),
                         text->line_of_key()};
      } catch (const Error& error) {
        throw RefusedGraph(fmt::format("{}:{}: graph {}: {}", text->path(), text->line_of_key(), number, error.what()));
      }
    }
    return std::nullopt;
  };
}

}  // namespace octile::app
