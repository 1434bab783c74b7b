// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::portable {

/// A team's scratch memory, handed out in pieces of any type, aligned to 16 bytes.
class TeamScratch {
 public:
  static constexpr std::size_t alignment = 16;

  /// Bytes that `count` elements of T take.
  template <class T>
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(std::size_t count) {
    return (count * sizeof(T) + alignment - 1) / alignment * alignment;
  }

  KOKKOS_INLINE_FUNCTION explicit TeamScratch(void* begin) : next_(static_cast<char*>(begin)) {}

  template <class T>
  KOKKOS_INLINE_FUNCTION T* take(std::size_t count) {
    T* piece = reinterpret_cast<T*>(next_);
    next_ += bytes<T>(count);
    return piece;
  }

  /// All of a team's scratch of level 0; `total` is the size given to the policy.
  template <class Member>
  KOKKOS_INLINE_FUNCTION static TeamScratch of(const Member& member, std::size_t total) {
    return TeamScratch(total == 0 ? nullptr : member.team_shmem().get_shmem_aligned(total, alignment));
  }

 private:
  char* next_;
};

/// Threads that work on a pair of tiles in step: a warp on a GPU, one thread on a CPU. Lane l has the rows
///
///     i  = l / second, + first, + 2 first, …    of a tile of G
///     i' = l % second, + second, …              of a tile of G'
///
/// and writes the outputs (i, i') of these. No two lanes write the same output.
template <int Lanes>
struct LaneGrid {
  static_assert(Lanes == 1 || Lanes == 32);
  static constexpr int second = Lanes == 1 ? 1 : 8;
  static constexpr int first = Lanes / second;
};

}  // namespace octile::portable
