// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/portable/team_scratch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

#include "ceiling_array.hpp"

// Kernels that read and copy as fast as they can. Each leaves in `out` what every thread computed, so that nothing is
// optimised away; `expected()` says what that must be.
namespace octile::bench {

/// What a thread loads at once: 16 bytes on a GPU, a number on a host, whose compiler makes vectors of them.
template <int Width>
struct alignas(sizeof(int) * Width) Wide {
  int part[Width];

  /// By value, so that a block is one load: loads of its parts one by one would meet in the same banks.
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

/// A thread's sum of blocks, in four parts that do not wait for each other.
template <class Block>
struct BlockSum {
  Block sums[4] = {Block::of(0), Block::of(0), Block::of(0), Block::of(0)};

  /// Adds from[rank], from[rank + step], … of `count` blocks.
  KOKKOS_INLINE_FUNCTION void add(const Block* from, int count, int rank, int step) {
    if constexpr (Block::width == 1) {
      // Step is 1: four streams, each of which a compiler makes vectors of.
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

  /// The least of the sums of the parts of a block.
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
  /// Of the first thread of a team, which has no fewer blocks than others.
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
    // Every thread's sum must count, or a compiler could leave out its loads; none is negative.
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

/// Sums ones in team scratch, over and over, each time from another element on.
template <class Block, class Memory>
struct ReadScratch {
  /// Elements behind those that are summed, by which a round begins further on.
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

  std::size_t total_scratch = 0;  ///< bytes(), as it was asked for
};

}  // namespace octile::bench
