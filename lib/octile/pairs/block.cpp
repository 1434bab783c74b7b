// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/block.hpp>

#include <octile/pairs/size_classes.hpp>

namespace octile {

Block Block::whole(std::size_t graphs) {
  const GraphRange all{0, static_cast<std::int32_t>(graphs)};
  return {all, all};
}

std::size_t Block::pairs() const {
  if (!symmetric()) return places();
  const std::size_t size = rows.size();
  return own ? size * (size + 1) / 2 : size * (size - 1) / 2;
}

double Block::work(const CostModel& cost) const {
  const SizeClasses of_rows(rows, cost);
  const SizeClasses of_columns(columns, cost);
  double all = 0;
  for (std::uint32_t a = 0; a < of_rows.count(); ++a) {
    const auto one = of_rows.members(a);
    for (std::uint32_t b = 0; b < of_columns.count(); ++b) {
      const auto other = of_columns.members(b);
      all += cost(Pair{one.front(), other.front()}) * static_cast<double>(one.size() * other.size());
    }
  }
  if (!symmetric()) return all;
  double diagonal = 0;
  for (std::int32_t g = rows.begin; g < rows.end; ++g) diagonal += cost(Pair{g, g});
  return (all - diagonal) / 2 + (own ? diagonal : 0);
}

}  // namespace octile
