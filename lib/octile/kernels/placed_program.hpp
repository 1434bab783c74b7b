// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/base/to_memory.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/kernels/program.hpp>
#include <octile/kernels/record_arrays.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

namespace octile {

namespace detail {
/// A program, and the label records that it reads.
struct RecordProgram {
  const Instruction* program;
  std::int32_t count;
  RecordPointers labels;
};

/// κ of records a and b. It is called, as leaf kernels are: products evaluate programs where their loops over edges are unrolled. Three
/// arguments, since each place writes all of them.
template <class T>
[[gnu::noinline]] KOKKOS_FUNCTION T run_record_program(const RecordProgram* of, std::uint32_t a, std::uint32_t b) {
  return run_program<T>(of->program, of->count, of->labels, a, b);
}
}  // namespace detail

/// The program of a lowered kernel in one memory space.
template <class MemorySpace>
class PlacedProgram {
 public:
  PlacedProgram() = default;
  /// Waits for the copies.
  template <class ExecutionSpace>
  PlacedProgram(const ExecutionSpace& space, const LoweredKernel& lowered)
      : program_(detail::to_memory<MemorySpace>(space, "kernel_program", lowered.program)), records_(space, lowered) {
    const std::array<detail::RecordProgram, 1> all{
        {{program_.data(), static_cast<std::int32_t>(lowered.program.size()), records_.pointers()}}};
    all_ = detail::to_memory<MemorySpace>(space, "record_program", all);
    space.fence("octile::PlacedProgram");
  }

  /// κ of records a and b, evaluated in T.
  template <class T>
  KOKKOS_INLINE_FUNCTION T evaluate(std::uint32_t a, std::uint32_t b) const {
    return detail::run_record_program<T>(all_.data(), a, b);
  }

 private:
  Array<Instruction, MemorySpace> program_;
  RecordArrays<MemorySpace> records_;
  Array<detail::RecordProgram, MemorySpace> all_;
};

}  // namespace octile
