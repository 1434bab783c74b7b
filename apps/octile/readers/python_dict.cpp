// SPDX-License-Identifier: BSD-3-Clause
#include "readers/python_dict.hpp"

#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "readers/strict_json.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

/// Appends the text in quotes that begins at `at` as JSON writes it, and moves `at` behind it.
void append_text(std::string_view python, std::size_t& at, std::string& json) {
  const char quote = python[at];
  json += '"';
  for (++at; at < python.size() && python[at] != quote; ++at) {
    const char byte = python[at];
    if (byte == '"') {
      json += "\\\"";
    } else if (byte != '\\' || at + 1 == python.size()) {
      json += byte;
    } else if (const char escaped = python[++at]; escaped == '\'') {
      json += escaped;
    } else if (escaped == 'x') {
      json += "\\u00";
    } else {
      json += byte;
      json += escaped;
    }
  }
  if (at == python.size()) throw Error(fmt::format("{} has a text that is not closed", in_quotes(python)));
  ++at;
  json += '"';
}

/// Appends the word that begins at `at`, such as a number or True.
void append_word(std::string_view python, std::size_t& at, std::string& json) {
  const std::size_t end = python.find_first_of(" ,:(){}[]\"'", at);
  const std::string_view word = python.substr(at, end - at);
  at = end == std::string_view::npos ? python.size() : end;
  json += word == "True" ? "true" : word == "False" ? "false" : word == "None" ? "null" : word;
}

}  // namespace

nlohmann::json parse_python_dict(std::string_view text) {
  std::string json;
  for (std::size_t at = 0; at < text.size();) {
    switch (text[at]) {
      case '\'':
      case '"': append_text(text, at, json); break;
      case '(':
        json += '[';
        ++at;
        break;
      case ')':
        // A tuple of one value has a comma behind it.
        if (json.ends_with(',')) json.pop_back();
        json += ']';
        ++at;
        break;
      case ' ':
      case ',':
      case ':':
      case '{':
      case '}':
      case '[':
      case ']': json += text[at++]; break;
      default: append_word(text, at, json);
    }
  }
  nlohmann::json value = parse_strictly(json);
  if (!value.is_object()) throw Error(fmt::format("{} is no dict of Python", in_quotes(text)));
  return value;
}

}  // namespace octile::app
