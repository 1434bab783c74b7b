// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/lowering.hpp>
#include <octile/kernels/placed_program.hpp>
#include <octile/kernels/runtime_kernel.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

// Edge kernels as edge_kernels.cuh describes them, of lowered expressions: labels are numbers of records.
namespace octile::cuda {

/// A count × count table of κe over label ids, which is symmetric. It lies in global memory and is read through the first-level cache: a lane
/// holds the column of its own edge, so that lanes that walk the same edge read one row.
template <class MemorySpace>
class FastTable {
 public:
  using Table = RuntimeKernel<float, MemorySpace>;
  struct Held {
    const float* column;
    float weight;
  };

  explicit FastTable(const Table& kernel) : table_(kernel.table()), count_(kernel.count()) {}

  __device__ Held hold(std::uint32_t label, float weight) const { return {&table_(label), weight}; }
  /// Where the label's row of the table begins.
  __device__ std::uint32_t placed(std::uint32_t label) const { return label * count_; }
  __device__ static float value(std::uint32_t row, const Held& held) { return held.weight * __ldg(held.column + row); }

 private:
  std::decay_t<decltype(std::declval<Table>().table())> table_;
  std::uint32_t count_;
};

/// Any κe, whatever numbers of records there are, by its program.
template <class MemorySpace>
class FastProgram {
 public:
  struct Held {
    std::uint32_t label;
    float weight;
  };

  template <class ExecutionSpace>
  FastProgram(const ExecutionSpace& space, const LoweredKernel& lowered) : program_(space, lowered) {}

  __device__ static Held hold(std::uint32_t label, float weight) { return {label, weight}; }
  __device__ float value(std::uint32_t label, const Held& held) const {
    return held.weight * program_.template evaluate<float>(label, held.label);
  }

 private:
  PlacedProgram<MemorySpace> program_;
};

}  // namespace octile::cuda
