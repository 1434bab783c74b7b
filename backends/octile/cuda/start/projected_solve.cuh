// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/start/projected_start.cuh>
#include <octile/cuda/start/projection.hpp>
#include <octile/cuda/start/warp_tile.cuh>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// Warps of a block that solves projected systems.
inline constexpr int projected_warps = 8;

/// Solves a pair's projected system by a warp. C is returned as operand B: rounded halves, and remainders.
class ProjectedSolve {
 public:
  static constexpr int pitch = basis_size + 8;  ///< in halves; 16 bytes of each of eight rows lie in different banks
  static constexpr std::size_t bytes = sizeof(std::uint16_t) * basis_size * pitch;

  /// `place` is the warp's, in shared memory.
  __device__ ProjectedSolve(const ProjectionView& set, Pair pair, bool precise, unsigned char* place)
      : set_(set),
        precise_(precise),
        first_(projections(set, pair.first)),
        second_(projections(set, pair.second)),
        words_(reinterpret_cast<std::uint32_t*>(place)),
        row_(shared_address(place) +
             SharedAddress(sizeof(std::uint16_t)) * SharedAddress(lane() % 16 * pitch + lane() / 16 * 8)) {
    const std::size_t numbers = static_cast<std::size_t>(set.rights()) * basis_size;
    const float* const right = set.right_projections + static_cast<std::size_t>(pair.first) * numbers;
    const float* const right_second = set.right_projections + static_cast<std::size_t>(pair.second) * numbers;
    for (int t = 0; t < set.rights(); ++t) {
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const int row = t * basis_size + lane() / 4 + 8 * (e / 2 % 2);
        const int column = t * basis_size + 8 * (e / 4) + lane() % 4 * 2 + e % 2;
        r_.values[e / 4][e % 4] += right[row] * right_second[column];
      }
    }
  }

  struct Coefficients {
    TileWords high;
    TileWords low;
  };

  /// A product rounds its operand and B to halves, so CG reaches a residual of about 1e-3. Then r is formed by sums of two halves, of B too if
  /// `precise`, and CG begins again: of ba's pairs, solved to 5e-4, most need no other step than x⁰ if C is solved to 1e-4, and one more if to 1e-3.
  __device__ Coefficients run() {
    const float size = sqrtf(dot(r_, r_));
    // What x⁰ should be is small beside these numbers; elsewhere halves would be infinite.
    if (!(size > 0 && size < 1e30F)) return {};
    const float unit = 1 / size;
    each([&](float& r) { r *= unit; }, r_);
    const WarpTile right = r_;
    WarpTile c;
    float norm = 1;
    const float tolerance = precise_ ? precise_tolerance : usual_tolerance;
    for (int round = 0; round < most_rounds && norm > tolerance; ++round) {
      const WarpTile before = c;
      reduce(c, fmaxf(tolerance, share_of_round * norm));
      const WarpTile applied = product<true>(c);
      each([&](float& r, float b, float a) { r = b - a; }, r_, right, applied);
      const float left = sqrtf(dot(r_, r_));
      if (!(left < norm)) {  // also if it is no number
        c = before;
        break;
      }
      norm = left;
    }
    each([&](float& x) { x *= size; }, c);
    if (!(dot(c, c) < most_of_c * most_of_c)) c = {};
    const TileWords high = c.high();
    return {as_second(high), as_second(c.low(high))};
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static const uint4* projections(const ProjectionView& set, std::int32_t graph) {
    return reinterpret_cast<const uint4*>(set.projections) +
           static_cast<std::size_t>(graph) * static_cast<std::size_t>(set.terms()) * (2 * words_a_tile / 4) + lane();
  }

  static constexpr float usual_tolerance = 1e-4F;
  static constexpr float precise_tolerance = 3e-5F;  ///< of the projected system
  static constexpr float share_of_round = 3e-3F;
  static constexpr int most_rounds = 3;
  static constexpr int most_iterations = 24;  ///< of a round
  static constexpr float most_of_c = 3e4F;    ///< as a norm: a half goes to 65,504

  /// c ← c + an approximate solution for r_ on the right, by plain CG; r_ is not kept.
  __device__ void reduce(WarpTile& c, float target) {
    WarpTile p = r_;
    float rho = dot(r_, r_);
    for (int iteration = 0; iteration < most_iterations && rho > target * target; ++iteration) {
      const WarpTile q = product<false>(p);
      const float curvature = dot(p, q);
      if (!(curvature > 0)) break;
      const float alpha = rho / curvature;
      each([&](float& x, float direction) { x += alpha * direction; }, c, p);
      each([&](float& r, float applied) { r -= alpha * applied; }, r_, q);
      const float next = dot(r_, r_);
      const float beta = next / rho;
      rho = next;
      each([&](float& direction, float r) { direction = r + beta * direction; }, p, r_);
    }
  }

  /// Calls the function with each element of a tile, and those at its place in others.
  template <class Function, class... Tiles>
  __device__ static void each(const Function& function, WarpTile& tile, const Tiles&... others) {
#pragma unroll
    for (int e = 0; e < 8; ++e) function(tile.values[e / 4][e % 4], others.values[e / 4][e % 4]...);
  }

  __device__ static float dot(const WarpTile& a, const WarpTile& b) {
    float sum = 0;
#pragma unroll
    for (int e = 0; e < 8; ++e) sum += a.values[e / 4][e % 4] * b.values[e / 4][e % 4];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
    return sum;
  }

  /// Converts a tile from the form of operand A to that of operand B, through shared memory.
  __device__ TileWords as_second(const TileWords& tile) {
    __syncwarp();
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      words_[(lane() / 4 + 8 * (word % 2)) * (pitch / 2) + 4 * (word / 2) + lane() % 4] = tile.words[word];
    }
    __syncwarp();
    TileWords second;
    load_transposed(row_, second.words);
    return second;
  }

  /// Σ_t σ_t B_t P B'_tᵀ, of B and P rounded to halves or, if `Exact`, as sums of two.
  template <bool Exact>
  __device__ WarpTile product(const WarpTile& p) {
    const TileWords high = p.high();
    const TileWords second = as_second(high);
    TileWords second_low{};
    if constexpr (Exact) second_low = as_second(p.low(high));
    WarpTile all;
#pragma unroll 2
    for (int t = 0; t < set_.terms(); ++t) {
      const uint4* const of_first = first_ + t * int(2 * words_a_tile / 4);
      const uint4* const of_second = second_ + t * int(2 * words_a_tile / 4);
      const TileWords first = TileWords::load(of_first);
      const TileWords b = TileWords::load(of_second);
      const std::uint32_t signs = t >= set_.vertex_term_count || set_.signs[t] < 0 ? 0x80008000U : 0;
      WarpTile between;
      if constexpr (Exact) {
        if (precise_) between.add(TileWords::load(of_first + words_a_tile / 4), second);
        between.add(first, second_low);
      }
      between.add(first, second);
      TileWords a = between.high();
      if constexpr (Exact) {
        TileWords low = between.low(a);
        for (std::uint32_t& word : low.words) word ^= signs;
        all.add_transposed(low, b);
      }
      for (std::uint32_t& word : a.words) word ^= signs;
      if constexpr (Exact) {
        if (precise_) all.add_transposed(a, TileWords::load(of_second + words_a_tile / 4));
      }
      all.add_transposed(a, b);
    }
    return all;
  }

  const ProjectionView& set_;
  bool precise_;
  const uint4* first_;
  const uint4* second_;
  std::uint32_t* words_;
  SharedAddress row_;
  WarpTile r_;  ///< the right-hand side at first
};

/// Writes C of pairs[k] to coefficients[64 k + lane], and its remainders 32 further on. The graphs must have bases. To be precise takes twice as
/// long, and pays where starts are to prove values, and where an iteration takes longer than a start.
inline __global__ void __launch_bounds__(32 * projected_warps)
    solve_projected(const __grid_constant__ ProjectionView set, const Pair* pairs, uint4* coefficients, int count,
                    bool precise) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int k = static_cast<int>(blockIdx.x) * projected_warps + warp;
  if (k >= count) return;
  const Pair pair = pairs[k];
  ProjectedSolve solve(set, pair, precise, memory + static_cast<std::size_t>(warp) * ProjectedSolve::bytes);
  const ProjectedSolve::Coefficients c = solve.run();
  uint4* const place = coefficients + std::size_t(k) * coefficients_a_pair + threadIdx.x % 32;
  place[0] = {c.high.words[0], c.high.words[1], c.high.words[2], c.high.words[3]};
  place[32] = {c.low.words[0], c.low.words[1], c.low.words[2], c.low.words[3]};
}

}  // namespace octile::cuda
