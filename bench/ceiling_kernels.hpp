// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/team_scratch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

// Kernels that do one thing as fast as they can. Each leaves in `out` what every thread computed, so that nothing is
// optimised away; `expected()` says what that must be.
namespace octile::bench {

template <class T, class Memory>
using Array = Kokkos::View<T*, Kokkos::LayoutRight, Memory>;

/// What a thread loads at once: 16 bytes on a GPU, a cache line on a host, whose compiler makes vectors of it.
template <int Width>
struct alignas(sizeof(float) * Width) Wide {
  float part[Width];

  KOKKOS_INLINE_FUNCTION void add(const Wide& other) {
    for (int k = 0; k < Width; ++k) part[k] += other.part[k];
  }
  KOKKOS_INLINE_FUNCTION static Wide of(float value) {
    Wide wide;
    for (int k = 0; k < Width; ++k) wide.part[k] = value;
    return wide;
  }
  static constexpr int width = Width;
};

/// Sums loaded at a time, so that loads do not wait for additions.
inline constexpr int sums_at_once = 4;

/// Sums load(e) for e = begin, begin + step, … < end, and gives the least of the parts.
template <class Block>
struct BlockSum {
  Block sums[sums_at_once];

  KOKKOS_INLINE_FUNCTION BlockSum() {
    for (Block& sum : sums) sum = Block::of(0.0F);
  }

  template <class Load>
  KOKKOS_INLINE_FUNCTION void add(int begin, int end, int step, const Load& load) {
    int e = begin;
    for (; e + (sums_at_once - 1) * step < end; e += sums_at_once * step) {
      for (int k = 0; k < sums_at_once; ++k) sums[k].add(load(e + k * step));
    }
    for (; e < end; e += step) sums[0].add(load(e));
  }

  KOKKOS_INLINE_FUNCTION float least() const {
    Block sum = sums[0];
    for (int k = 1; k < sums_at_once; ++k) sum.add(sums[k]);
    float least = sum.part[0];
    for (int k = 1; k < Block::width; ++k) least = Kokkos::min(least, sum.part[k]);
    return least;
  }
};

/// v ← v / 2 + 1 in `Chains` chains: all come to 2.
template <class Scalar, int Chains, class Memory>
struct MultiplyAdds {
  Array<Scalar, Memory> out;
  int rounds;
  Scalar factor = Scalar(0.5);
  Scalar summand = Scalar(1);

  MultiplyAdds(std::size_t threads, int count) : out("octile::ceiling_out", threads), rounds(count) {}
  double expected() const { return 2.0 * Chains; }

  KOKKOS_FUNCTION void operator()(int thread) const {
    Scalar value[Chains];
    for (int c = 0; c < Chains; ++c) value[c] = Scalar(c + thread % 8);
    for (int round = 0; round < rounds; ++round) {
      for (int c = 0; c < Chains; ++c) value[c] = value[c] * factor + summand;
    }
    Scalar sum = 0;
    for (int c = 0; c < Chains; ++c) sum += value[c];
    out(thread) = sum;
  }
};

/// v ← exp(−v): all come to the root of v = exp(−v).
template <int Chains, class Memory>
struct Exponentials {
  Array<float, Memory> out;
  int rounds;

  Exponentials(std::size_t threads, int count) : out("octile::ceiling_out", threads), rounds(count) {}
  double expected() const { return 0.5671433 * Chains; }

  KOKKOS_FUNCTION void operator()(int thread) const {
    float value[Chains];
    for (int c = 0; c < Chains; ++c) value[c] = 0.5F + 0.01F * static_cast<float>((c + thread) % 8);
    for (int round = 0; round < rounds; ++round) {
      for (int c = 0; c < Chains; ++c) value[c] = Kokkos::exp(-value[c]);
    }
    float sum = 0;
    for (int c = 0; c < Chains; ++c) sum += value[c];
    out(thread) = sum;
  }
};

/// Sums an array of ones; chunk c of it in pass p is read by team c − p · stride.
template <class Block, class Memory>
struct ReadChunks {
  Array<Block, Memory> data;
  Array<float, Memory> out;
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
    Kokkos::deep_copy(data, Block::of(1.0F));
  }
  /// Of one part of the first thread's blocks, which are as many as any thread's or one more: see `operator()`.
  double expected() const { return static_cast<double>((chunk + team - 1) / team) * passes; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    BlockSum<Block> sum;
    for (int pass = 0; pass < passes; ++pass) {
      const int place = (member.league_rank() + pass * stride) % chunks;
      const Block* from = data.data() + static_cast<std::size_t>(place) * chunk;
      sum.add(member.team_rank(), chunk, team, [from](int e) { return from[e]; });
    }
    const float least = sum.least();
    // Every thread's sum must count, or a compiler could leave out its loads; none is negative.
    if (member.team_rank() == 0 || least < 0.0F) out(member.league_rank()) = least;
  }
};

/// to ← from, an array of ones.
template <class Block, class Memory>
struct CopyElements {
  Array<Block, Memory> from;
  Array<Block, Memory> to;
  Array<float, Memory> out;

  explicit CopyElements(std::size_t count)
      : from("octile::ceiling_from", count), to("octile::ceiling_to", count), out("octile::ceiling_out", 1) {
    Kokkos::deep_copy(from, Block::of(1.0F));
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
  Array<float, Memory> out;
  int elements;  ///< a power of two
  int team;
  int rounds;

  ReadScratch(int teams, int count, int team_size, int round_count)
      : out("octile::ceiling_out", teams), elements(count), team(team_size), rounds(round_count) {}
  int scratch_bytes() const { return static_cast<int>(portable::TeamScratch::bytes<Block>(elements) + alignof(Block)); }
  double expected() const { return static_cast<double>(elements / team) * rounds; }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* data = static_cast<Block*>(
        member.team_shmem().get_shmem_aligned(static_cast<std::size_t>(elements) * sizeof(Block), alignof(Block)));
    for (int e = member.team_rank(); e < elements; e += team) data[e] = Block::of(1.0F);
    member.team_barrier();
    BlockSum<Block> sum;
    for (int round = 0; round < rounds; ++round) {
      const int mask = elements - 1;
      sum.add(member.team_rank(), elements, team, [data, round, mask](int e) { return data[(e + round) & mask]; });
    }
    const float least = sum.least();
    if (member.team_rank() == 0 || least < 0.0F) out(member.league_rank()) = least;
  }
};

}  // namespace octile::bench
