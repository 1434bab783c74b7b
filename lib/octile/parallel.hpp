// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>

namespace octile {

/// Calls `body(begin, end)` for parts of 0 … `count` of up to `part` numbers each, which together are all of them, side by
/// side on the threads of Kokkos' host space; in the caller's thread alone where Kokkos is not initialised, and within a
/// body. Returns when all are done. Parts are claimed as threads become free: let a body write what
/// belongs to its own numbers alone, and results are the same for any number of threads.
/// Throws what `body` throws, of several the first part's; parts behind that one may then be left out. Throws `Interrupted`
/// where the caller is asked to stop (interruption.hpp).
void in_parallel(std::size_t count, std::size_t part, const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace octile
