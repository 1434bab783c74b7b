// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace octile::cuda
