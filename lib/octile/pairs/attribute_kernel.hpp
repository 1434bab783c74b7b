// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/launch.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/kernels/attribute_tables.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>
#include <octile/kernels/record_arrays.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile {

/// A kernel by `AttributeTables` in one memory space, as a base kernel over record numbers.
template <class MemorySpace>
class AttributeKernel {
 public:
  /// Without tables: `given` is false.
  AttributeKernel() = default;
  /// The only fence is on `space`, at the end.
  template <class ExecutionSpace>
  AttributeKernel(const ExecutionSpace& space, const LoweredKernel& lowered, const AttributeTables& tables)
      : columns_(static_cast<std::int32_t>(tables.columns)) {
    const auto copy = [&space](const char* name, const auto& values) {
      return detail::to_memory<MemorySpace>(space, name, values);
    };
    steps_ = copy("attribute_steps", tables.steps);
    values_ = copy("attribute_tables", tables.values);
    codes_ = copy("attribute_codes", tables.codes);
    program_ = copy("attribute_program", tables.program);
    if (!tables.program.empty()) records_ = RecordArrays<MemorySpace>(space, lowered);
    space.fence("octile::AttributeKernel");
  }

  /// Whether it has tables.
  KOKKOS_INLINE_FUNCTION bool given() const { return steps_.extent(0) > 0; }

  /// κ of two records.
  KOKKOS_INLINE_FUNCTION double evaluate(std::uint32_t a, std::uint32_t b) const {
    const AttributePointers pointers{steps_.data(),      static_cast<std::int32_t>(steps_.extent(0)),
                                     columns_,           values_.data(),
                                     codes_.data(),      program_.data(),
                                     records_.pointers()};
    return pointers.evaluate(a, b);
  }

 private:
  Array<TableStep, MemorySpace> steps_;
  Array<double, MemorySpace> values_;
  Array<std::uint16_t, MemorySpace> codes_;
  Array<Instruction, MemorySpace> program_;
  RecordArrays<MemorySpace> records_;  ///< where there is a program
  std::int32_t columns_ = 0;
};

/// The pairs of a list, as `reciprocals_of_pairs` reads them.
template <class MemorySpace>
struct ListedPairs {
  Array<std::uint32_t, MemorySpace> vertex_begin;  ///< of the graphs of a set
  Array<std::uint32_t, MemorySpace> records;       ///< of their vertices
  const Pair* pairs;
  const std::size_t* begin;  ///< of each pair's n·m numbers, row major
  std::size_t count;
};

/// Queues 1/κ of the vertices of each pair of a list, into `reciprocals`.
template <class ExecutionSpace, class MemorySpace>
void reciprocals_of_pairs(const ExecutionSpace& space, const AttributeKernel<MemorySpace>& kernel,
                          const ListedPairs<MemorySpace>& of, double* reciprocals) {
  if (of.count == 0) return;
  constexpr bool on_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;
  constexpr int threads = on_host ? 1 : 128;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::parallel_for(
      "octile::reciprocals_of_pairs", without_waiting(Policy(space, static_cast<int>(of.count), threads)),
      KOKKOS_LAMBDA(const typename Policy::member_type& member) {
        const int number = member.league_rank();
        const Pair pair = of.pairs[number];
        const std::uint32_t first = of.vertex_begin(pair.first);
        const std::uint32_t second = of.vertex_begin(pair.second);
        const auto n = static_cast<int>(of.vertex_begin(pair.first + 1) - first);
        const auto m = static_cast<int>(of.vertex_begin(pair.second + 1) - second);
        double* const to = reciprocals + of.begin[number];
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n * m), [&](const int e) {
          const int i = e / m;
          const std::uint32_t row = of.records(first + static_cast<std::uint32_t>(i));
          const std::uint32_t column = of.records(second + static_cast<std::uint32_t>(e - i * m));
          to[e] = 1 / kernel.evaluate(row, column);
        });
      });
}

}  // namespace octile
