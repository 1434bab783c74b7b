// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/lowering.hpp>
#include <octile/placed_program.hpp>
#include <octile/runtime_kernel.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

// Edge kernels as edge_kernels.cuh describes them, of lowered expressions: labels are numbers of records.
namespace octile::cuda {

/// A count × count table of κ over label ids. It lies in global memory and is read through the first-level cache.
template <class MemorySpace>
class FastTable {
 public:
  using Table = RuntimeKernel<float, MemorySpace>;
  struct Held {
    const float* row;
    float weight;
  };

  explicit FastTable(const Table& kernel) : table_(kernel.table()), count_(kernel.count()) {}

  __device__ Held hold(std::uint32_t label, float weight) const { return {&table_(label * count_), weight}; }
  __device__ static float value(std::uint32_t label, const Held& held) { return held.weight * __ldg(held.row + label); }

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
