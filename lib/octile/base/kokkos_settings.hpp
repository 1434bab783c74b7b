// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace Kokkos {
class InitializationSettings;
}

namespace octile {

/// Kokkos' OpenMP backend has room for 512 threads, and writes past its end with more.
inline constexpr int most_threads = 512;

/// What Kokkos is to be initialized with for `asked` host threads; for 0 with as many as KOKKOS_NUM_THREADS in the environment says, or
/// else with as many as the OpenMP library has, in both cases no more than `most_threads`. Who calls it initializes Kokkos next: a number of
/// threads is told to the OpenMP library too, and that variable is taken out of the environment. Throws `Error` for a variable that
/// holds no number of threads.
Kokkos::InitializationSettings kokkos_settings(int asked);

/// How many host threads that would be, for work without Kokkos. Changes nothing.
int host_threads(int asked);

}  // namespace octile
