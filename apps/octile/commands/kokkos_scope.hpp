// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/kokkos_settings.hpp>

#include <cstddef>

namespace octile::app {

/// Keeps Kokkos initialized during its lifetime, with `threads` host threads, or for 0 with as many as the environment says or
/// there are cores, but no more than `most_threads`. Throws `UsageError` for a number in the environment that is none, and
/// `StartError` where Kokkos cannot start; where Kokkos ends the program instead, one line says why, with exit_internal.
/// The only place of the program that uses Kokkos.
class KokkosScope {
 public:
  explicit KokkosScope(int threads);
  KokkosScope& operator=(KokkosScope&&) = delete;  // neither copied nor moved
  ~KokkosScope();
};

/// How many GPUs this build can use here: 0 if it is one for CPUs. Another process asks, since one that has asked CUDA cannot begin
/// others that use it. To be called before there are threads.
std::size_t visible_devices();

}  // namespace octile::app
