// SPDX-License-Identifier: BSD-3-Clause
#include "kokkos_scope.hpp"

#include <Kokkos_Core.hpp>

#include <exception>
#include <string>

#include "output/failures.hpp"

namespace octile::app {

KokkosScope::KokkosScope(int threads) {
  Kokkos::InitializationSettings settings;
  // Kokkos' warnings (OMP_PROC_BIND is unset, more threads than cores) are advice on tuning that most users do
  // not need.
  settings.set_disable_warnings(true);
  if (threads > 0) settings.set_num_threads(threads);
  try {
    Kokkos::initialize(settings);
  } catch (const std::exception& error) {
    const std::string what = error.what();
    throw StartError("Kokkos cannot start here (a build with CUDA needs a GPU and its driver): " +
                     what.substr(0, what.find('\n')));
  }
}

KokkosScope::~KokkosScope() { Kokkos::finalize(); }

}  // namespace octile::app
