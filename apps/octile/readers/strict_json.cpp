// SPDX-License-Identifier: BSD-3-Clause
#include "readers/strict_json.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "readers/text.hpp"

namespace octile::app {
namespace {

using nlohmann::json;

/// No graph needs more, and printing a value that is nested far deeper would overflow the stack.
constexpr std::size_t deepest = 64;

/// Builds the value from what the parser of nlohmann-json finds, in order. (Its own way to look at values while they are parsed
/// goes through all elements of a list once more at each of them.) Its interface has the names and types of the functions.
class Builder {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t& text) {
    if (text.find_first_of(".eE") == string_t::npos) {
      throw Error(
          fmt::format("holds the integer {}; allowed are those from -2^63 to 2^64 - 1, or a text", in_quotes(text)));
    }
    // A weight that becomes 0 would be no edge.
    const std::string_view digits = std::string_view(text).substr(0, text.find_first_of("eE"));
    if (value == 0 && digits.find_first_of("123456789") != std::string_view::npos) {
      throw Error(fmt::format("holds the number {}, which is too small; allowed are 0 and those above 1e-323",
                              in_quotes(text)));
    }
    return add(value);
  }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t& value) { return add(std::move(value)); }
  bool start_object(std::size_t) { return open(json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    json& object = *open_.back();
    const auto [place, first] = object.get_ref<json::object_t&>().try_emplace(name);
    if (!first) {
      throw Error(fmt::format("has the key {} twice in one object; allowed is once", in_quotes(name)));
    }
    value_of_key_ = &place->second;
    return true;
  }

  static bool parse_error(std::size_t position, const std::string&, const json::exception& error) {
    throw refused(position, error);
  }

 private:
  static JsonFault refused(std::size_t position, const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: what": the reader names the line itself.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
    constexpr std::string_view place = "parse error at line ";
    if (what.starts_with(place)) what.remove_prefix(std::min(what.find(", ") + 2, what.size()));
    // Python writes such literals for values that are not finite.
    const bool not_finite = what.find("invalid literal") != std::string_view::npos;
    constexpr std::size_t longest = 160;
    return JsonFault(position,
                     fmt::format("is not JSON{}: {}", not_finite ? " (in which NaN and Infinity do not exist)" : "",
                                 in_quotes(what, longest)));
  }

  template <class Value>
  json& place(Value&& value) {
    if (open_.empty()) return root_ = std::forward<Value>(value);
    json& around = *open_.back();
    if (around.is_object()) return *value_of_key_ = std::forward<Value>(value);
    around.push_back(std::forward<Value>(value));
    return around.back();
  }

  template <class Value>
  bool add(Value&& value) {
    place(std::forward<Value>(value));
    return true;
  }

  bool open(json&& container) {
    // The value itself is level 0.
    if (open_.size() > deepest) throw Error(fmt::format("is nested deeper than {} levels", deepest));
    json& placed = place(std::move(container));
    open_.push_back(&placed);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  json root_;
  std::vector<json*>
      open_;  ///< the objects and lists that are not closed; a list does not grow while one in it is open
  json* value_of_key_ = nullptr;
};

}  // namespace

json parse_strictly(std::string_view text) {
  Builder builder;
  json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace octile::app
