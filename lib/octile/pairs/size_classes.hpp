// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/pairs/block.hpp>
#include <octile/pairs/cost_model.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile {

/// The graphs of a range in classes of one size, in their order within a class, and the classes from small to large: all pairs of two classes have
/// the same cost.
class SizeClasses {
 public:
  SizeClasses(GraphRange range, const CostModel& cost);

  std::uint32_t count() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  std::span<const std::int32_t> members(std::uint32_t its_class) const {
    return std::span(graphs_).subspan(begin_[its_class], begin_[its_class + 1] - begin_[its_class]);
  }

 private:
  std::vector<std::int32_t> graphs_;  ///< class by class
  std::vector<std::size_t> begin_;    ///< of each class, and one more
};

}  // namespace octile
