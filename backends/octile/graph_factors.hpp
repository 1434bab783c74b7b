// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/kernel_fault.hpp>
#include <octile/portable/device_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

// What the device decides about the factors of an edge kernel.
namespace octile::detail {

inline constexpr int insufficient_factors = -1;  ///< those that were tried do not suffice
inline constexpr int wrong_kernel = -2;          ///< there is no number of factors, since the kernel is wrong

/// How many factors are needed, or why there is no such number.
template <class MemorySpace>
struct CountFactors {
  Kokkos::View<int, MemorySpace> needed;
  portable::DeviceFactors<MemorySpace> factors;
  Kokkos::View<KernelRecord, MemorySpace> fault;
  double relative_error;

  KOKKOS_FUNCTION void operator()(const int) const {
    if (fault().key != no_fault) {
      needed() = wrong_kernel;
    } else {
      needed() = factors.suffice(relative_error) ? factors.used() : insufficient_factors;
    }
  }
};

/// Sends the pairs down one of two roads: from number 0 on, or from behind the last.
template <class MemorySpace>
struct ChooseRoad {
  Kokkos::View<int, MemorySpace> next;
  portable::DeviceFactors<MemorySpace> factors;
  double relative_error;
  int pairs;
  bool factored;  ///< which of the two is asked

  KOKKOS_FUNCTION void operator()(const int) const { next() = factors.suffice(relative_error) == factored ? 0 : pairs; }
};

/// How many factors are needed, or one of the two constants. Fences `space`.
template <class ExecutionSpace>
int needed_factors(const ExecutionSpace& space,
                   const portable::DeviceFactors<typename ExecutionSpace::memory_space>& factors,
                   const Kokkos::View<KernelRecord, typename ExecutionSpace::memory_space>& fault,
                   double relative_error) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  int needed = 0;
  const Kokkos::View<int, MemorySpace> counted(Kokkos::view_alloc(space, "octile::factors_needed"));
  Kokkos::parallel_for("octile::count_factors", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1)),
                       CountFactors<MemorySpace>{counted, factors, fault, relative_error});
  Kokkos::deep_copy(space, Kokkos::View<int, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&needed), counted);
  space.fence("octile::count_factors");
  return needed;
}

/// Queues `ChooseRoad` for a number of pairs.
template <class ExecutionSpace>
void choose_road(const ExecutionSpace& space, const Kokkos::View<int, typename ExecutionSpace::memory_space>& next,
                 const portable::DeviceFactors<typename ExecutionSpace::memory_space>& factors, double relative_error,
                 std::size_t pairs, bool factored) {
  Kokkos::parallel_for("octile::choose_road", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1)),
                       ChooseRoad<typename ExecutionSpace::memory_space>{next, factors, relative_error,
                                                                         static_cast<int>(pairs), factored});
}

OCTILE_IN_LIBRARY template int needed_factors(const LibrarySpace&, const portable::DeviceFactors<LibraryMemory>&,
                                              const Kokkos::View<KernelRecord, LibraryMemory>&, double);
OCTILE_IN_LIBRARY template void choose_road(const LibrarySpace&, const Kokkos::View<int, LibraryMemory>&,
                                            const portable::DeviceFactors<LibraryMemory>&, double, std::size_t, bool);

}  // namespace octile::detail
