// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/portable/xmv/team_scratch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

// Kernels that read and copy at the peak rate. Each writes the results of all threads to `out`, so that nothing is
// optimised away; `expected()` is the correct result.
namespace octile::bench {

/// The block that a thread loads at once: 16 bytes on a GPU, one number on a host, where the compiler vectorises.
template <int Width>
struct alignas(sizeof(int) * Width) Wide {
  int part[Width];

  /// By value, so that a block is one load. Loads of single parts would have bank conflicts.
  KOKKOS_INLINE_FUNCTION void add(Wide other) {
    for (int k = 0; k < Width; ++k) part[k] += other.part[k];
  }
  KOKKOS_INLINE_FUNCTION static Wide of(int value) {
    Wide wide;
    for (int k = 0; k < Width; ++k) wide.part[k] = value;
    return wide;
  }
  static constexpr int width = Width;
};

/// A thread's sum of blocks, as four independent partial sums.
template <class Block>
struct BlockSum {
  Block sums[4] = {Block::of(0), Block::of(0), Block::of(0), Block::of(0)};

  /// Adds from[rank], from[rank + step], … of `count` blocks.
  KOKKOS_INLINE_FUNCTION void add(const Block* from, int count, int rank, int step) {
    if constexpr (Block::width == 1) {
      // Here step is 1. Four streams, each of which the compiler vectorises.
      const int quarter = count / 4;
      int first = 0;
      int second = 0;
      int third = 0;
      int last = 0;
      for (int e = 0; e < quarter; ++e) {
        first += from[e].part[0];
        second += from[quarter + e].part[0];
        third += from[2 * quarter + e].part[0];
        last += from[3 * quarter + e].part[0];
      }
      sums[0].part[0] += first + second;
      sums[1].part[0] += third + last;
      for (int e = 4 * quarter; e < count; ++e) sums[2].add(from[e]);
    } else {
      int e = rank;
      for (; e + 3 * step < count; e += 4 * step) {
        for (int k = 0; k < 4; ++k) sums[k].add(from[e + k * step]);
      }
      for (; e < count; e += step) sums[0].add(from[e]);
    }
  }

  /// The smallest of the sums over the parts of a block.
  KOKKOS_INLINE_FUNCTION int least() const {
    Block sum = sums[0];
    for (int k = 1; k < 4; ++k) sum.add(sums[k]);
    int least = sum.part[0];
    for (int k = 1; k < Block::width; ++k) least = Kokkos::min(least, sum.part[k]);
    return least;
  }
};

/// Sums an array of ones; chunk c of it in pass p is read by team c − p · stride.
template <class Block, class Memory>
struct ReadChunks {
  Array<Block, Memory> data;
  Array<int, Memory> out;
  int chunks;
  int chunk;
  int team;
  int passes;
  int stride;

  ReadChunks(int chunk_count, int chunk_size, int team_size, int pass_count, int pass_stride)
      : data("octile::ceiling_data", static_cast<std::size_t>(chunk_count) * chunk_size),
        out("octile::ceiling_out", chunk_count),
        chunks(chunk_count),
        chunk(chunk_size),
        team(team_size),
        passes(pass_count),
        stride(pass_stride) {
    Kokkos::deep_copy(data, Block::of(1));
  }
  /// The sum of the first thread of a team, which has no fewer blocks than the others.
  double expected() const {
    const int blocks = (chunk + team - 1) / team;
    return static_cast<double>(blocks) * passes;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    BlockSum<Block> sum;
    for (int pass = 0; pass < passes; ++pass) {
      const int place = (member.league_rank() + pass * stride) % chunks;
      sum.add(data.data() + static_cast<std::size_t>(place) * chunk, chunk, member.team_rank(), team);
    }
    // Every thread's sum must be used, or the compiler could remove its loads. (No sum is negative.)
    const int least = sum.least();
    if (member.team_rank() == 0 || least < 0) out(member.league_rank()) = least;
  }
};

/// to ← from, an array of ones.
template <class Block, class Memory>
struct CopyElements {
  Array<Block, Memory> from;
  Array<Block, Memory> to;
  Array<int, Memory> out;

  explicit CopyElements(std::size_t count)
      : from("octile::ceiling_from", count), to("octile::ceiling_to", count), out("octile::ceiling_out", 1) {
    Kokkos::deep_copy(from, Block::of(1));
  }
  double expected() const { return 1; }

  KOKKOS_FUNCTION void operator()(std::size_t e) const {
    to(e) = from(e);
    if (e + 1 == to.extent(0)) out(0) = to(e).part[0];
  }
};

/// Sums ones in team scratch repeatedly, each time from another element on.
template <class Block, class Memory>
struct ReadScratch {
  /// The number of different first elements, and of extra elements after those that are summed.
  static constexpr int shifts = 64;

  Array<int, Memory> out;
  int elements;
  int team;
  int rounds;

  ReadScratch(int teams, int count, int team_size, int round_count)
      : out("octile::ceiling_out", teams), elements(count), team(team_size), rounds(round_count) {}
  std::size_t bytes() const { return portable::TeamScratch::bytes<Block>(elements + shifts); }
  double expected() const {
    const int blocks = elements / team;
    return static_cast<double>(blocks) * rounds;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    Block* data = portable::TeamScratch::of(member, total_scratch).template take<Block>(elements + shifts);
    for (int e = member.team_rank(); e < elements + shifts; e += team) data[e] = Block::of(1);
    member.team_barrier();
    BlockSum<Block> sum;
    for (int round = 0; round < rounds; ++round) {
      sum.add(data + round % shifts, elements, member.team_rank(), team);
    }
    const int least = sum.least();
    if (member.team_rank() == 0 || least < 0) out(member.league_rank()) = least;
  }

  std::size_t total_scratch = 0;  ///< bytes(), the value given to the policy
};

}  // namespace octile::bench
