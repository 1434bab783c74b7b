// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/size_classes.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace octile {

SizeClasses::SizeClasses(GraphRange range, const CostModel& cost) : graphs_(range.size()) {
  std::iota(graphs_.begin(), graphs_.end(), range.begin);
  const auto key = [&cost](std::int32_t graph) {
    const CostModel::Size& size = cost.size(graph);
    return std::pair(size.elements, size.vertices);
  };
  std::ranges::stable_sort(graphs_, {}, key);
  for (std::size_t k = 0; k < graphs_.size(); ++k) {
    if (k == 0 || key(graphs_[k]) != key(graphs_[k - 1])) begin_.push_back(k);
  }
  begin_.push_back(graphs_.size());
}

}  // namespace octile
