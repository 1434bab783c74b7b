// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/layout/first_terms.hpp>

#include <cstdint>
#include <type_traits>

namespace octile::cuda {

/// Whether first products of a set may be formed by `FirstTerms`: those of slices with an edge kernel that says so.
template <class Set, class VertexKernel, class EdgeKernel>
KOKKOS_INLINE_FUNCTION constexpr bool has_first_terms() {
  constexpr bool slices = requires(const Set& set) { set.slice_begin; };
  return slices && std::is_same_v<VertexKernel, VertexTable> && requires { EdgeKernel::has_gaussian_factors; };
}

/// The terms of one pair's first product (`FirstTerms`).
class FirstSum {
 public:
  __device__ FirstSum(const FirstTerms& terms, std::uint32_t first_vertex, std::uint32_t second_vertex)
      : terms_(terms),
        left_(reinterpret_cast<const float4*>(terms.left) + first_vertex),
        right_(reinterpret_cast<const float4*>(terms.right) + second_vertex) {}

  /// put(i, i', (N p)_ii') for all elements of n × m, by a block of so many threads. A warp has some rows and twice 32 columns at a time.
  template <int Threads, class Put>
  __device__ __forceinline__ void each(int n, int m, std::uint32_t present, const Put& put) const {
    constexpr int rows = 4;
    constexpr int wide = 64;
    const int across = (m + wide - 1) / wide;
    const int tiles = (n + rows - 1) / rows * across;
#pragma unroll 1
    for (int tile = static_cast<int>(threadIdx.x) / 32; tile < tiles; tile += Threads / 32) {
      const int i = tile / across * rows;
      const int j = tile % across * wide + static_cast<int>(threadIdx.x) % 32;
      float sums[rows][2] = {};
#pragma unroll 1
      for (std::uint32_t id = 0; id < terms_.ids; ++id) {
        if ((present >> id & 1) == 0) continue;
        const float4* from_left = left_ + std::size_t{id * terms_.quads} * terms_.pitch + i;
        const float4* from_right = right_ + std::size_t{id * terms_.quads} * terms_.pitch + j;
#pragma unroll 1
        for (std::uint32_t quad = 0; quad < terms_.quads; ++quad) {
          const float4 one = __ldg(from_right);
          const float4 other = __ldg(from_right + 32);
          float4 there[rows];
#pragma unroll
          for (int row = 0; row < rows; ++row) there[row] = __ldg(from_left + row);
#pragma unroll
          for (int row = 0; row < rows; ++row) {
            add(sums[row][0], there[row], one);
            add(sums[row][1], there[row], other);
          }
          from_left += terms_.pitch;
          from_right += terms_.pitch;
        }
      }
#pragma unroll
      for (int row = 0; row < rows; ++row) {
        if (i + row >= n) continue;
        if (j < m) put(i + row, j, sums[row][0]);
        if (j + 32 < m) put(i + row, j + 32, sums[row][1]);
      }
    }
  }

 private:
  __device__ static void add(float& sum, const float4& a, const float4& b) {
    sum = fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
  }

  const FirstTerms& terms_;
  const float4* left_;
  const float4* right_;
};

}  // namespace octile::cuda
