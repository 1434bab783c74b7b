// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <octile/labels.hpp>

namespace octile::app {

/// The attributes of `elements` (the nodes or the edges of one graph), except
/// the keys `reserved`, as typed columns: booleans and integers as integers, reals
/// (also if mixed with integers) as reals, texts, lists of numbers, lists of
/// texts. Lists that are empty in all elements are lists of numbers.
///
/// Throws `Error` that names the element by `describe(index)` and the attribute,
/// for an attribute that only some elements have, that has several types, or that
/// has a type no kernel knows.
LabelColumns json_columns(const std::vector<const nlohmann::json*>& elements,
                          std::initializer_list<std::string_view> reserved,
                          const std::function<std::string(std::size_t)>& describe);

/// The value as JSON. Texts of GML may hold bytes that are no UTF-8, which are replaced.
std::string json_text(const nlohmann::json& value);

}  // namespace octile::app
