// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/placed_program.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace octile {

/// A lowered kernel in one memory space, as a base kernel over label ids (the
/// numbers of distinct label records). It is looked up if it is tabulated,
/// otherwise its program is run.
template <class Scalar, class MemorySpace>
class RuntimeKernel {
 public:
  template <class ExecutionSpace>
  RuntimeKernel(const ExecutionSpace& space, const LoweredKernel& lowered)
      : count_(static_cast<std::uint32_t>(lowered.record_count)) {
    if (lowered.tabulated()) {
      const std::vector<Scalar> table(lowered.table.begin(), lowered.table.end());
      table_ = detail::to_memory<MemorySpace>(space, "kernel_table", table);
      space.fence("octile::RuntimeKernel");
    } else {
      program_ = PlacedProgram<MemorySpace>(space, lowered);
    }
  }

  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(std::uint32_t a, std::uint32_t b) const {
    if (table_.extent(0) > 0) return static_cast<T>(table_(a * count_ + b));
    return static_cast<T>(program_.template evaluate<Scalar>(a, b));
  }

  /// The table (count × count); empty if there is none.
  const auto& table() const { return table_; }
  std::uint32_t count() const { return count_; }

 private:
  Array<Scalar, MemorySpace> table_;
  PlacedProgram<MemorySpace> program_;  ///< where there is no table
  std::uint32_t count_;
};

/// A lowered kernel that is always a table, for the XMV: no decision for each edge.
template <class Scalar, class MemorySpace>
class TableKernel {
 public:
  explicit TableKernel(const RuntimeKernel<Scalar, MemorySpace>& kernel)
      : table_(kernel.table()), count_(kernel.count()) {}

  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(std::uint32_t a, std::uint32_t b) const {
    return static_cast<T>(table_(a * count_ + b));
  }

 private:
  Array<Scalar, MemorySpace> table_;
  std::uint32_t count_;
};

}  // namespace octile
