// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/kernels/attribute_tables.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>
#include <octile/kernels/runtime_kernel.hpp>
#include <octile/pairs/attribute_kernel.hpp>
#include <octile/pairs/reciprocal_table.hpp>
#include <octile/pairs/system.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile {

/// A lowered vertex kernel in one memory space, as a base kernel over label ids of which 1/κv is asked for: a table of all pairs, or
/// small tables by attribute where labels are too many. It has either the one or the other.
template <class MemorySpace>
class RuntimeVertexKernel {
 public:
  /// `tables` has those of this kernel, or is null. The only fence is on `space`, at the end.
  template <class ExecutionSpace>
  RuntimeVertexKernel(const ExecutionSpace& space, const LoweredKernel& lowered, SharedTables* tables) {
    constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
    if (!on_host && lowered.takes_tables() && lowered.table_ids() <= vertex_table_limit) {
      // A device has a table of all pairs sooner than the host has small ones.
      count_ = static_cast<std::uint32_t>(lowered.table_ids());
      table_ = reciprocal_table(space, RuntimeKernel<double, MemorySpace>(space, lowered), count_);
      space.fence("octile::RuntimeVertexKernel");
      return;
    }
    if (lowered.takes_tables()) {
      by_attribute_ = AttributeKernel<MemorySpace>(space, lowered, *tables_of(tables, lowered));
      return;
    }
    std::vector<double> reciprocals = lowered.table;
    if (lowered.constant()) reciprocals = {lowered.program[0].parameter};
    for (double& value : reciprocals) value = reciprocal_of_kappa(value);
    table_ = detail::to_memory<MemorySpace>(space, "reciprocal_table", reciprocals);
    count_ = static_cast<std::uint32_t>(lowered.table_ids());
    space.fence("octile::RuntimeVertexKernel");
  }

  /// 1 / κv of two labels.
  KOKKOS_INLINE_FUNCTION double reciprocal(std::uint32_t a, std::uint32_t b) const {
    return by_attribute_.given() ? by_attribute(a, b) : table_(std::size_t(a) * count_ + b);
  }

  /// 1 / κv of label a and `count` others. How κv is found is decided once for all of them.
  KOKKOS_INLINE_FUNCTION void reciprocals(std::uint32_t a, const std::uint32_t* others, int count, double* to) const {
    if (by_attribute_.given()) {
      for (int k = 0; k < count; ++k) to[k] = by_attribute(a, others[k]);
    } else {
      const double* const row = table_.data() + std::size_t(a) * count_;
      for (int k = 0; k < count; ++k) to[k] = row[others[k]];
    }
  }

 private:
  /// Not inlined: within a solve it would take from what is compiled of sets with few labels.
  [[gnu::noinline]] KOKKOS_FUNCTION double by_attribute(std::uint32_t a, std::uint32_t b) const {
    return reciprocal_of_kappa(by_attribute_.evaluate(a, b));
  }

  Array<double, MemorySpace> table_;  ///< 1/κv of all pairs of labels, by rows
  std::uint32_t count_ = 0;
  AttributeKernel<MemorySpace> by_attribute_;
};

}  // namespace octile
