// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/owned.cuh>
#include <octile/cuda/layout/set.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// The product of an edge kernel with several factors, Y = Σ_k (A ⊙ φ_k) P (A' ⊙ φ_k)ᵀ, by a block of Warps warps, for
/// pairs of up to 4 Rows Warps × 8 Octets vertices. What lies between the two stages stays in registers:
///
///     warp     Rows times 4 rows of G                   lane   row l / 8 of each four, column l % 8 of every octet
///
///     walk     T_k[i, j'] = Σ_j A_ij φ_k(E_ij) P[j, j']            a lane: Rows × AtOnce columns × 11 factors
///     scatter  Y[i, i'] += Σ_k T_k[i, j'] φ_k(E'_i'j') A'_i'j'     along the edges of column j'
///
/// Walking, four rows follow an edge each, and 8 lanes of a row read 8 floats of P side by side. Scattering, eight
/// columns follow an edge each, and the 4 lanes of a column have it for Rows rows each; the edges of a slot end in columns of Y that differ
/// modulo 8 (`FactorLists`), and a pitch of 8 modulo 32 puts four rows into different banks. The rows of Y are the warp's own: no
/// atomics, no barrier, equal bits from run to run.
///
/// What a load of shared memory costs is the registers that it fills: walking, 12 and AtOnce of them for 11 · AtOnce
/// multiply-adds, scattering 12 and 2 · Rows for 11 · Rows. So T takes as many registers as there are.
///
/// Each edge comes with as many factors as the iteration needs (`level_slack`): the nearer the solution, the fewer.
template <int Warps_, int Octets_, int Rows, int AtOnce>
struct BandProduct {
  static constexpr int Warps = Warps_;
  static constexpr int Octets = Octets_;
  static constexpr int octets_at_once = AtOnce;
  static constexpr int rows_a_lane = Rows;
  static constexpr int threads = 32 * Warps;
  static constexpr int rows = rows_a_lane * walk_lanes * Warps;
  static constexpr int columns = scatter_lanes * Octets;
  static constexpr int pitch = (columns + 31) / 32 * 32 + 8;
  static constexpr int places = rows_a_lane * Octets;
  static constexpr std::size_t p_floats = std::size_t{rows} * pitch;
  static constexpr double first_scale = 1;
  static constexpr double second_scale = 1;
  static constexpr int blocks = Rows > 2 ? 1 : threads <= 128 ? 3 : threads <= 256 ? 2 : 1;  ///< a multiprocessor
  static_assert(Octets % octets_at_once == 0);
  static constexpr std::size_t own_floats = 0;
  using Labels = OwnLabels;
  using Reader = OwnReader;
  using Direction = InSingle;
  static constexpr bool starts = rows % 16 == 0 && columns % 16 == 0;
  using Solution = OwnInGlobal<threads, places>;
  using Residual = OwnInRegisters<threads, places>;
  using Result = InMemory;
  using Elements = OwnElements<BandProduct>;

  /// Y.
  static std::size_t least_bytes(const ProductSizes&) { return y_bytes; }
  /// And the first band of both graphs.
  static std::size_t bytes(const ProductSizes& pair) {
    return y_bytes + sizeof(uint4) * band_quads * (pair.slots * scatter_lanes + pair.steps * walk_lanes);
  }

  /// Y is at `kept`; behind it, as far as there is room before `end`, go the edges: a barrier of the block has to follow.
  template <class Set, class EdgeKernel, class System>
  __device__ BandProduct(const Set& set, const EdgeKernel&, const System& system, float* /*p*/, unsigned char* kept,
                         const unsigned char* end)
      : walks(reinterpret_cast<const uint4*>(set.walks.data())),
        scatters(reinterpret_cast<const uint4*>(set.scatters.data())),
        walk_begin(&set.walk_begin(set.first_walk(system.first_graph))),
        slot_begin(&set.slot_begin(set.first_slots(system.second_graph))),
        level_slack(set.level_slack.data()),
        walk_band(std::size_t{set.walk_steps} * band_quads * walk_lanes),
        scatter_band(std::size_t{set.scatter_slots} * band_quads * scatter_lanes),
        n(system.n),
        m(system.m) {
    unsigned char* next = kept + y_bytes;
    first_scatters = scatters + std::size_t{slot_begin[0]} * (band_quads * scatter_lanes);
    keep(first_scatters, (slot_begin[(m + scatter_lanes - 1) / scatter_lanes] - slot_begin[0]) * scatter_lanes, next,
         end);
    first_walks = walks + std::size_t{walk_begin[0]} * (band_quads * walk_lanes);
    keep(first_walks, (walk_begin[(n + walk_lanes - 1) / walk_lanes] - walk_begin[0]) * walk_lanes, next, end);
  }

  __device__ static int group() { return static_cast<int>(threadIdx.x) % 32 / scatter_lanes; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % scatter_lanes; }
  /// Which four rows.
  __device__ static int four(int which) { return dealt<Warps>(which); }

  __device__ __forceinline__ static OwnSlot slot(int place) {
    const int i = walk_lanes * four(place / Octets) + group();
    const int j = scatter_lanes * (place % Octets) + lane();
    return {place, i, j, element(i, j)};
  }

  __device__ static int element(int i, int j) { return i * pitch + j; }

  /// y ← N p, exact to what `slack` allows. No barrier before or behind: a warp's rows of y are its own.
  __device__ __forceinline__ void apply(const InSingle& direction, Result& y, float slack) const {
    const float* const p = direction.values;
    Elements::each(0, [&](const OwnSlot& slot) { y[slot] = 0; });
    __syncwarp();
    int level = 0;
    while (__ldg(level_slack + level) > slack) ++level;
    for (int band = 0; band * band_quads <= level; ++band) {
      switch (level - band * band_quads) {
        case 0: run<1>(band, p, y.values); break;
        case 1: run<2>(band, p, y.values); break;
        default: run<3>(band, p, y.values);
      }
    }
    __syncwarp();
  }

 private:
  static constexpr std::size_t y_bytes = shared_piece(sizeof(float) * rows * pitch);

  const uint4* walks;
  const uint4* scatters;
  const uint4* first_walks;     ///< of this graph, in the first band; in shared memory if there is room
  const uint4* first_scatters;  ///< likewise
  const std::uint32_t* walk_begin;
  const std::uint32_t* slot_begin;
  const float* level_slack;
  std::size_t walk_band;  ///< from one band to the next
  std::size_t scatter_band;
  int n;
  int m;

  __device__ static void keep(const uint4*& records, std::uint32_t lanes, unsigned char*& next,
                              const unsigned char* end) {
    const std::uint32_t words = lanes * band_quads;
    if (next + words * sizeof(uint4) > end) return;
    auto* const kept = reinterpret_cast<uint4*>(next);
    for (std::uint32_t k = threadIdx.x; k < words; k += threads) kept[k] = __ldg(records + k);
    next += words * sizeof(uint4);
    records = kept;
  }

  template <int Quads>
  __device__ __forceinline__ void run(int band, const float* p, float* y) const {
    const uint4* walks_here = first_walks;
    const uint4* scatters_here = first_scatters;
    if (band > 0) {
      walks_here = walks + band * walk_band + std::size_t{walk_begin[0]} * (band_quads * walk_lanes);
      scatters_here = scatters + band * scatter_band + std::size_t{slot_begin[0]} * (band_quads * scatter_lanes);
    }
#pragma unroll 1
    for (int octet = 0; scatter_lanes * octet < m; octet += octets_at_once) {
      float t[rows_a_lane][octets_at_once][factors_in(Quads)] = {};
#pragma unroll
      for (int which = 0; which < rows_a_lane; ++which) {
        if (walk_lanes * four(which) < n) walk<Quads>(walks_here, four(which), p + scatter_lanes * octet, t[which]);
      }
#pragma unroll
      for (int o = 0; o < octets_at_once; ++o) {
        if (scatter_lanes * (octet + o) < m) scatter<Quads>(scatters_here, octet + o, o, t, y);
      }
    }
  }

  /// A record's other end, and its factors.
  template <int Quads>
  __device__ __forceinline__ static std::uint32_t load(const uint4* record, int lanes,
                                                       float (&factors)[factors_in(Quads)]) {
    std::uint32_t vertex = 0;
#pragma unroll
    for (int quad = 0; quad < Quads; ++quad) {
      const uint4 words = record[quad * lanes];
      if (quad == 0) {
        vertex = words.x;
      } else {
        factors[4 * quad - 1] = __uint_as_float(words.x);
      }
      factors[4 * quad] = __uint_as_float(words.y);
      factors[4 * quad + 1] = __uint_as_float(words.z);
      factors[4 * quad + 2] = __uint_as_float(words.w);
    }
    return vertex;
  }

  template <int Quads>
  __device__ __forceinline__ void walk(const uint4* records, int number, const float* p,
                                       float (&t)[octets_at_once][factors_in(Quads)]) const {
    const std::uint32_t before = __ldg(walk_begin);
    const std::uint32_t begin = __ldg(walk_begin + number) - before;
    const std::uint32_t end = __ldg(walk_begin + number + 1) - before;
    const uint4* record = records + begin * (band_quads * walk_lanes) + group();
    const float* const column = p + lane();
#pragma unroll 2
    for (std::uint32_t step = begin; step < end; ++step) {
      float factors[factors_in(Quads)];
      const float* const row = column + load<Quads>(record, walk_lanes, factors) * pitch;
#pragma unroll
      for (int o = 0; o < octets_at_once; ++o) {
        const float value = row[scatter_lanes * o];
#pragma unroll
        for (int k = 0; k < factors_in(Quads); ++k) t[o][k] += factors[k] * value;
      }
      record += band_quads * walk_lanes;
    }
  }

  template <int Quads>
  __device__ __forceinline__ void scatter(const uint4* records, int octet, int o,
                                          const float (&t)[rows_a_lane][octets_at_once][factors_in(Quads)],
                                          float* y) const {
    const std::uint32_t before = __ldg(slot_begin);
    const std::uint32_t begin = __ldg(slot_begin + octet) - before;
    const std::uint32_t end = __ldg(slot_begin + octet + 1) - before;
    const uint4* record = records + begin * (band_quads * scatter_lanes) + lane();
    float* rows_of_y[rows_a_lane];
#pragma unroll
    for (int which = 0; which < rows_a_lane; ++which) {
      rows_of_y[which] = y + (walk_lanes * four(which) + group()) * pitch;
    }
    if (begin == end) return;
    // The next slot's edge is read before this one's sums are written: the compiler cannot know that they lie apart.
    float next[factors_in(Quads)];
    std::uint32_t next_target = load<Quads>(record, scatter_lanes, next);
#pragma unroll 2
    for (std::uint32_t left = end - begin; left > 0; --left) {
      const std::uint32_t target = next_target;
      float factors[factors_in(Quads)];
#pragma unroll
      for (int k = 0; k < factors_in(Quads); ++k) factors[k] = next[k];
      float sums[rows_a_lane];
#pragma unroll
      for (int which = 0; which < rows_a_lane; ++which) sums[which] = rows_of_y[which][target];
      if (left > 1) record += band_quads * scatter_lanes;
      next_target = load<Quads>(record, scatter_lanes, next);
      float more[rows_a_lane] = {};
#pragma unroll
      for (int k = 0; k < factors_in(Quads); ++k) {
#pragma unroll
        for (int which = 0; which < rows_a_lane; ++which) {
          (k % 2 == 0 ? sums : more)[which] += t[which][o][k] * factors[k];
        }
      }
#pragma unroll
      for (int which = 0; which < rows_a_lane; ++which) rows_of_y[which][target] = sums[which] + more[which];
      __syncwarp();  // the next slot adds to what other lanes have written
    }
  }
};

}  // namespace octile::cuda
