// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/to_memory.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

#ifdef KOKKOS_ENABLE_CUDA
#include <octile/cuda/run/certifier.cuh>
#else
#include <octile/on_device/certificate.hpp>
#endif

namespace octile::test {

/// Where certificates are formed that tests compare with the host's.
using Space = Kokkos::DefaultExecutionSpace;
#ifdef KOKKOS_ENABLE_CUDA
// What the library has of it: these kernels take longer to compile than all else in a test.
using DeviceCertificates = cuda::Certifier;
#else
using DeviceCertificates = DeviceExactSet<Space::memory_space>;
#endif

template <class T>
auto on_device(const std::vector<T>& values) {
  return detail::to_memory<Space::memory_space>(Space(), "values", values);
}

}  // namespace octile::test
