// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/leaf_kernels.hpp>
#include <octile/lowering.hpp>
#include <octile/program.hpp>
#include <octile/record_arrays.hpp>
#include <octile/runtime_kernel.hpp>
#include <octile/to_memory.hpp>

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

/// κe of two label records by its program. Not inlined, so that the kernels of all tiers have it once.
__device__ __noinline__ inline float run_edge_program(const Instruction* program, int steps,
                                                      const RecordPointers& labels, std::uint32_t a, std::uint32_t b) {
  if (steps == 1 && program[0].code == Instruction::Code::leaf) {
    // One leaf of one slot, and so one number a record.
    return LeafKernels::value<float>(program[0].leaf, labels.records[a], labels.records[b], program[0]);
  }
  return run_program<float>(program, steps, labels, a, b);
}

/// Any κe, whatever numbers of records there are, by its program.
template <class MemorySpace>
class FastProgram {
 public:
  struct Held {
    std::uint32_t label;
    float weight;
  };

  template <class ExecutionSpace>
  FastProgram(const ExecutionSpace& space, const LoweredKernel& lowered)
      : program_(detail::to_memory<MemorySpace>(space, "edge_program", lowered.program)), records_(space, lowered) {
    space.fence("octile::cuda::FastProgram");
  }

  __device__ static Held hold(std::uint32_t label, float weight) { return {label, weight}; }
  __device__ float value(std::uint32_t label, const Held& held) const {
    return held.weight * run_edge_program(program_.data(), static_cast<int>(program_.extent(0)), records_.pointers(),
                                          label, held.label);
  }

 private:
  octile::Array<Instruction, MemorySpace> program_;
  RecordArrays<MemorySpace> records_;
};

}  // namespace octile::cuda
