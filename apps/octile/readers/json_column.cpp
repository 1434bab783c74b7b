// SPDX-License-Identifier: BSD-3-Clause
#include "readers/json_column.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "readers/exact_integer.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

enum class Kind { integer, real, text, empty_list, real_list, text_list };

constexpr std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"an integer",        "a real",         "a text", "an empty list",
                                        "a list of numbers", "a list of texts"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_of(const json& value) {
  const auto fits = [&value] {
    return !value.is_number_unsigned() ||
           value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  };
  if (value.is_boolean()) return Kind::integer;
  if (value.is_number_integer()) return fits() ? std::optional(Kind::integer) : std::nullopt;
  if (value.is_number()) return Kind::real;
  if (value.is_string()) return Kind::text;
  if (!value.is_array()) return std::nullopt;
  if (value.empty()) return Kind::empty_list;
  if (std::ranges::all_of(value, [](const json& item) { return item.is_number() || item.is_boolean(); })) {
    return Kind::real_list;
  }
  if (std::ranges::all_of(value, [](const json& item) { return item.is_string(); })) return Kind::text_list;
  return std::nullopt;
}

/// The kind that can represent values of both kinds, if there is one.
std::optional<Kind> common_kind(Kind a, Kind b) {
  if (a == b) return a;
  const auto [low, high] = std::minmax(a, b);
  if (low == Kind::integer && high == Kind::real) return Kind::real;
  if (low == Kind::empty_list) return high;
  return std::nullopt;
}

/// Throws `Error` for an integer that could become the same as its neighbours.
double real_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  const auto real = value.get<double>();
  if (value.is_number_integer() && std::abs(real) >= first_inexact_integer) {
    throw Error(fmt::format("the integer {} stands among reals; allowed are those below 2^53 there, or texts",
                            json_text(value)));
  }
  return real;
}

std::int64_t integer_of(const json& value) {
  return value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<std::int64_t>();
}

RealList real_list_of(const json& value) {
  RealList list;
  for (const json& item : value) list.push_back(real_of(item));
  return list;
}

template <class Value, class Convert>
LabelColumn filled(const std::vector<const json*>& values, Convert convert) {
  std::vector<Value> column;
  column.reserve(values.size());
  for (const json* value : values) column.push_back(convert(*value));
  return column;
}

LabelColumn column_of(Kind kind, const std::vector<const json*>& values) {
  switch (kind) {
    case Kind::integer: return filled<std::int64_t>(values, integer_of);
    case Kind::real: return filled<double>(values, real_of);
    case Kind::text: return filled<std::string>(values, [](const json& value) { return value.get<std::string>(); });
    case Kind::text_list: return filled<TextList>(values, [](const json& value) { return value.get<TextList>(); });
    case Kind::empty_list:
    case Kind::real_list: break;
  }
  return filled<RealList>(values, real_list_of);
}

}  // namespace

std::string json_text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

LabelColumns json_columns(const std::vector<const json*>& elements, std::initializer_list<std::string_view> reserved,
                          const std::function<std::string(std::size_t)>& describe) {
  std::map<std::string, std::vector<const json*>, std::less<>> attributes;
  const auto missing = [&describe](const std::string& attribute, std::size_t without, std::size_t with) {
    return Error(fmt::format("attribute '{}': {} has it, {} lacks it; allowed is all or none", attribute,
                             describe(with), describe(without)));
  };
  for (std::size_t k = 0; k < elements.size(); ++k) {
    for (const auto& [attribute, value] : elements[k]->items()) {
      if (std::ranges::find(reserved, attribute) != reserved.end()) continue;
      std::vector<const json*>& values = attributes[attribute];
      if (values.size() != k) throw missing(attribute, values.size(), k);
      values.push_back(&value);
    }
  }
  LabelColumns columns;
  for (const auto& [attribute, values] : attributes) {
    if (values.size() != elements.size()) throw missing(attribute, values.size(), 0);
    Kind kind = Kind::integer;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::optional<Kind> its = kind_of(*values[k]);
      if (!its) {
        throw Error(
            fmt::format("attribute '{}' of {} is {}; allowed is a number, a boolean, a text, a list of "
                        "numbers or a list of texts, and an integer below 2^63",
                        attribute, describe(k), in_quotes(json_text(*values[k]))));
      }
      const std::optional<Kind> both = k == 0 ? its : common_kind(kind, *its);
      if (!both) {
        throw Error(fmt::format("attribute '{}' of {} is {}, {}, but others have {}; allowed is one type", attribute,
                                describe(k), in_quotes(json_text(*values[k])), kind_name(*its), kind_name(kind)));
      }
      kind = *both;
    }
    columns.emplace(attribute, column_of(kind, values));
  }
  return columns;
}

}  // namespace octile::app
