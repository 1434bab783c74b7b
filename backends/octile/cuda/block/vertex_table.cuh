// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// κv tabulated over vertex ids: 1/κv in double, and both κv and 1/κv in float.
struct VertexTable {
  const double* reciprocals;
  const float2* singles;  ///< {κv, 1/κv}
  std::uint32_t count;

  __device__ double reciprocal(std::uint32_t a, std::uint32_t b) const { return reciprocal_at(a * count, b); }
  /// `reciprocal` and `single` by the beginning of a row of the table, row = a · count.
  __device__ double reciprocal_at(std::uint32_t row, std::uint32_t b) const { return __ldg(reciprocals + row + b); }
  __device__ float2 single(std::uint32_t row, std::uint32_t b) const { return __ldg(singles + row + b); }
};

/// 1/κv of the vertices of one pair, element by element of its vectors.
struct ReciprocalsOfPair {
  const double* values;

  __device__ double reciprocal_of(int element) const { return __ldg(values + element); }
};

/// κv where vertices have too many records for a table of all: formed once a pair, where its solution would begin
/// (`Work::nodewise_begin`).
struct PairReciprocals {
  const double* values;

  __device__ ReciprocalsOfPair of_pair(std::size_t begin) const { return {values + begin}; }
};

/// The vertex kernel of the pair whose solution would begin there: most are the same for all pairs.
template <class VertexKernel>
__device__ __forceinline__ const VertexKernel& kernel_of_pair(const VertexKernel& kernel, const std::size_t*, int) {
  return kernel;
}
__device__ __forceinline__ ReciprocalsOfPair kernel_of_pair(const PairReciprocals& kernel, const std::size_t* begin,
                                                            int k) {
  return kernel.of_pair(begin[k]);
}

}  // namespace octile::cuda
