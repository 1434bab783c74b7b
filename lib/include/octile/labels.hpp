// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace octile {

/// A list of variable length is itself a label (for R-convolution kernels).
using RealList = std::vector<double>;
/// A list of texts, of any length, as one label.
using TextList = std::vector<std::string>;

/// One attribute of all vertices, or of all edges, of one graph, in its type:
/// integers (also booleans, 0 or 1), reals, texts, or lists of either.
using LabelColumn = std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>,
                                 std::vector<RealList>, std::vector<TextList>>;

/// One element of a column.
using LabelValue = std::variant<std::int64_t, double, std::string, RealList, TextList>;

/// Columns by attribute name, ordered so that output is stable.
using LabelColumns = std::map<std::string, LabelColumn, std::less<>>;

/// Number of elements of a column.
std::size_t column_size(const LabelColumn& column);

/// "integer", "real", "text", "list of reals" or "list of texts".
std::string_view column_type_name(const LabelColumn& column);

/// Element `index` of a column; `index < column_size(column)`.
LabelValue column_value(const LabelColumn& column, std::size_t index);

/// A value as a user would write it, for messages: 1.5, "C", [1, 2].
std::string to_string(const LabelValue& value);

/// The column with its elements taken in the order `source`: element k of the
/// result is element `source[k]` of the column.
LabelColumn gather(const LabelColumn& column, const std::vector<std::size_t>& source);

}  // namespace octile
