// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/shared_head.cuh>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// κv tabulated over vertex ids: 1/κv in double, and both κv and 1/κv in float.
///
/// Where vertices have too many records for one table, each pair of graphs has its own: 1/κv of each vertex of G with each of G', formed
/// before the solves where the pair's solution would begin (`Work::nodewise_begin`). The set's vertex labels are then the vertices'
/// places in their graphs, the table has no `singles`, and `count` is 0.
struct VertexTable {
  const double* reciprocals;
  const float2* singles;  ///< {κv, 1/κv}
  std::uint32_t count;

  __device__ double reciprocal(std::uint32_t a, std::uint32_t b) const { return reciprocal_at(a * count, b); }
  /// `reciprocal` and `single` by the beginning of a row of the table, row = a · count.
  __device__ double reciprocal_at(std::uint32_t row, std::uint32_t b) const { return __ldg(reciprocals + (row + b)); }
  __device__ float2 single(std::uint32_t row, std::uint32_t b) const { return __ldg(singles + (row + b)); }
};

/// The table of 1/κv of one pair (`TableOfPair`), in registers for a pass over its elements.
struct NotedTable {
  const double* reciprocals;
  std::uint32_t pitch;

  __device__ double reciprocal(std::uint32_t a, std::uint32_t b) const { return __ldg(reciprocals + (a * pitch + b)); }
};

/// The table of the pair that a block solves. It is read where it lies, in shared memory: registers would hold it for the whole solve.
struct TableOfPair {
  const SharedHead& head;

  __device__ NotedTable for_a_pass() const { return {head.reciprocals, head.pitch}; }

  __device__ double reciprocal(std::uint32_t a, std::uint32_t b) const { return for_a_pass().reciprocal(a, b); }
};

/// Notes the table of the pair whose solution would begin at `begin[k]`, and whose second graph has m vertices. By one thread, before
/// a barrier. Other vertex kernels are the same for all pairs.
template <class VertexKernel>
__device__ __forceinline__ void note_kernel(SharedHead&, const VertexKernel&, const std::size_t*, int, int) {}
__device__ __forceinline__ void note_kernel(SharedHead& head, const VertexTable& table, const std::size_t* begin, int k,
                                            int m) {
  const bool by_pair = table.count == 0;
  head.reciprocals = table.reciprocals + (by_pair ? begin[k] : 0);
  head.pitch = by_pair ? static_cast<std::uint32_t>(m) : table.count;
}

/// The vertex kernel of the pair that was noted.
template <class VertexKernel>
__device__ __forceinline__ const VertexKernel& kernel_of_pair(const SharedHead&, const VertexKernel& kernel) {
  return kernel;
}
__device__ __forceinline__ TableOfPair kernel_of_pair(const SharedHead& head, const VertexTable&) { return {head}; }

/// A vertex kernel as a pass over many elements reads it.
template <class VertexKernel>
__device__ __forceinline__ const VertexKernel& for_a_pass(const VertexKernel& kernel) {
  return kernel;
}
__device__ __forceinline__ NotedTable for_a_pass(const TableOfPair& table) { return table.for_a_pass(); }

}  // namespace octile::cuda
