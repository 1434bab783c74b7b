// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace octile {

/// During its lifetime, `in_parallel` (parallel.hpp) has `threads` threads where Kokkos is not initialised: for programs that only read graphs,
/// and are not to need a GPU for that. One at a time, made and ended while no work is in parallel.
class OwnThreads {
 public:
  explicit OwnThreads(int threads);
  OwnThreads& operator=(OwnThreads&&) = delete;  // neither copied nor moved
  ~OwnThreads();
};

}  // namespace octile
