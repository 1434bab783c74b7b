// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace octile {

/// The label records of a lowered kernel in one memory space, as programs read them.
template <class MemorySpace>
class RecordArrays {
 public:
  RecordArrays() = default;
  /// Queues the copies on `space`, and does not wait for them.
  template <class ExecutionSpace>
  RecordArrays(const ExecutionSpace& space, const LoweredKernel& lowered)
      : records_(detail::to_memory<MemorySpace>(space, "kernel_records", lowered.records)),
        list_begin_(detail::to_memory<MemorySpace>(space, "kernel_list_begin", lowered.list_begin)),
        list_values_(detail::to_memory<MemorySpace>(space, "kernel_list_values", lowered.list_values)),
        slots_(lowered.slots) {}

  KOKKOS_INLINE_FUNCTION RecordPointers pointers() const {
    return {records_.data(), list_begin_.data(), list_values_.data(), slots_};
  }

 private:
  Array<double, MemorySpace> records_;
  Array<std::int32_t, MemorySpace> list_begin_;
  Array<double, MemorySpace> list_values_;
  std::int32_t slots_ = 0;
};

}  // namespace octile
