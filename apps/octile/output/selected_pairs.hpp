// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <octile/solve.hpp>

namespace octile::app {

/// Some pairs of a set of graphs, with the shape of the array that their values make.
struct Selection {
  enum class Kind : std::int32_t {
    rectangle,  ///< each of some graphs with each of others: rows × columns
    diagonal,   ///< each graph with itself
    list,
  };

  Kind kind = Kind::list;
  std::vector<Pair> pairs;
  std::vector<std::size_t> shape;
};

/// "rectangle", "diagonal" or "pairs".
constexpr std::string_view selection_name(Selection::Kind kind) {
  switch (kind) {
    case Selection::Kind::rectangle: return "rectangle";
    case Selection::Kind::diagonal: return "diagonal";
    case Selection::Kind::list: break;
  }
  return "pairs";
}

}  // namespace octile::app
