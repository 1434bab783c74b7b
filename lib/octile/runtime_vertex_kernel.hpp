// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/attribute_kernel.hpp>
#include <octile/attribute_tables.hpp>
#include <octile/lowering.hpp>
#include <octile/runtime_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace octile {

/// A lowered vertex kernel in one memory space, as a base kernel over label ids: a table of all pairs, or small tables by attribute
/// where labels are too many.
template <class MemorySpace>
class RuntimeVertexKernel {
 public:
  template <class ExecutionSpace>
  RuntimeVertexKernel(const ExecutionSpace& space, const LoweredKernel& lowered)
      : kernel_(space, lowered),
        by_attribute_(space, lowered, lowered.takes_tables() ? AttributeTables(lowered) : AttributeTables()) {}

  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(std::uint32_t a, std::uint32_t b) const {
    if (by_attribute_.given()) return static_cast<T>(by_attribute(a, b));
    return kernel_.template evaluate<T>(a, b);
  }

 private:
  /// Not inlined: within a solve it would take from what is compiled of sets with few labels.
  [[gnu::noinline]] KOKKOS_FUNCTION double by_attribute(std::uint32_t a, std::uint32_t b) const {
    return by_attribute_.evaluate(a, b);
  }

  RuntimeKernel<double, MemorySpace> kernel_;
  AttributeKernel<MemorySpace> by_attribute_;
};

}  // namespace octile
