// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/plan/growing_limits.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

// What launches need besides streams and memory: the current device, the limit of shared memory, the occupancy.
namespace octile::cuda {

/// Makes an instance's device the calling thread's current device during its lifetime.
class OnDevice {
 public:
  explicit OnDevice(const Kokkos::Cuda& space) {
    require_success(cudaGetDevice(&before_), "the current device");
    if (before_ == space.cuda_device()) return;
    require_success(cudaSetDevice(space.cuda_device()), "an instance's device");
    changed_ = true;
  }
  OnDevice& operator=(OnDevice&&) = delete;  // neither copied nor moved
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Allows launches of a kernel on the instance's device to use `bytes` of shared memory. The limit is shared by the
/// process and never falls (`GrowingLimits`). The device must be current.
inline void allow_shared_memory(const Kokkos::Cuda& space, const void* kernel, std::size_t bytes) {
  static GrowingLimits limits;
  limits.raise(kernel, space.cuda_device(), bytes, [kernel](std::size_t value) {
    require_success(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(value)),
                    "shared memory of a native kernel");
  });
}

/// How many blocks of a kernel a multiprocessor holds. Also sets how its on-chip memory is divided: the blocks' shared
/// memory gets what it needs, the L1 cache the rest.
inline std::size_t blocks_a_multiprocessor(const Kokkos::Cuda& space, const void* kernel, int threads,
                                           std::size_t shared_bytes) {
  const cudaDeviceProp& device = space.cuda_device_prop();
  int blocks = 0;
  require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
                  "occupancy of a native kernel");
  const std::size_t bytes = (shared_bytes + device.reservedSharedMemPerBlock) * static_cast<std::size_t>(blocks);
  const std::size_t whole = device.sharedMemPerMultiprocessor;
  const std::size_t percent = std::min<std::size_t>(100, (bytes * 100 + whole - 1) / whole);
  require_success(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, static_cast<int>(percent)),
      "carveout of a native kernel");
  return static_cast<std::size_t>(blocks);
}

}  // namespace octile::cuda
