// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace octile {

/// Cuts 0 … `count` into parts of up to `part` numbers and calls `body(begin, end)` for each, in parallel on the threads of
/// Kokkos' host space, or on `OwnThreads` if it is not initialised; without either, or within a body, the calling thread does it alone.
/// Returns when all parts are done. Free threads claim parts. If a body writes only what belongs to its own numbers, results are the same for
/// any number of threads.
/// Throws what `body` throws; of several exceptions that of the first part. Later parts may then be skipped. Throws
/// `Interrupted` if the caller is asked to stop (interruption.hpp).
void in_parallel(std::size_t count, std::size_t part, const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace octile
