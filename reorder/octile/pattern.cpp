// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pattern.hpp>

#include <algorithm>
#include <numeric>

namespace octile::reorder {

Pattern make_pattern(std::string name, std::int32_t vertex_count,
                     std::span<const std::pair<std::int32_t, std::int32_t>> edges) {
  Pattern pattern;
  pattern.name = std::move(name);
  const auto n = static_cast<std::size_t>(vertex_count);
  pattern.row_begin.assign(n + 1, 0);
  for (const auto& [i, j] : edges) {
    ++pattern.row_begin[static_cast<std::size_t>(i) + 1];
    ++pattern.row_begin[static_cast<std::size_t>(j) + 1];
  }
  std::partial_sum(pattern.row_begin.begin(), pattern.row_begin.end(), pattern.row_begin.begin());
  pattern.columns.resize(2 * edges.size());
  std::vector<std::size_t> next(pattern.row_begin.begin(), pattern.row_begin.end() - 1);
  for (const auto& [i, j] : edges) {
    pattern.columns[next[static_cast<std::size_t>(i)]++] = j;
    pattern.columns[next[static_cast<std::size_t>(j)]++] = i;
  }
  for (std::size_t row = 0; row < n; ++row) {
    const auto begin = pattern.columns.begin();
    std::sort(begin + static_cast<std::ptrdiff_t>(pattern.row_begin[row]),
              begin + static_cast<std::ptrdiff_t>(pattern.row_begin[row + 1]));
  }
  return pattern;
}

VertexOrder natural_order(std::int32_t vertex_count) {
  VertexOrder order(static_cast<std::size_t>(vertex_count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool is_permutation_of(std::span<const std::int32_t> order, std::int32_t vertex_count) {
  if (order.size() != static_cast<std::size_t>(vertex_count)) return false;
  std::vector<bool> seen(order.size(), false);
  for (const std::int32_t vertex : order) {
    if (vertex < 0 || vertex >= vertex_count || seen[static_cast<std::size_t>(vertex)]) return false;
    seen[static_cast<std::size_t>(vertex)] = true;
  }
  return true;
}

}  // namespace octile::reorder
