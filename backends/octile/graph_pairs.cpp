// SPDX-License-Identifier: BSD-3-Clause
#include <octile/graph_pairs.hpp>

#include <cstdint>
#include <string>

#include <octile/error.hpp>

namespace octile::detail {

RectanglePairs numbered(const Rectangle& rectangle, std::int32_t graphs) {
  const auto inside = [graphs](std::int32_t first, std::int32_t count) {
    return first >= 0 && count >= 0 && first <= graphs && count <= graphs - first;
  };
  if (!inside(rectangle.first_row, rectangle.rows) || !inside(rectangle.first_column, rectangle.columns)) {
    throw Error("a rectangle of rows " + std::to_string(rectangle.first_row) + " + " + std::to_string(rectangle.rows) +
                " and columns " + std::to_string(rectangle.first_column) + " + " + std::to_string(rectangle.columns) +
                "; there are " + std::to_string(graphs) + " graphs");
  }
  return {rectangle};
}

}  // namespace octile::detail
