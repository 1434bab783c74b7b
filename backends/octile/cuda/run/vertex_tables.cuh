// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/lowering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace octile::cuda {

/// κv of all pairs of distinct labels, on the device, where it is evaluated.
struct VertexTables {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::CudaSpace>;

  Array<double> reciprocals;  ///< 1/κv over ids
  Array<float> singles;       ///< {κv, 1/κv} over ids
  std::uint32_t ids = 0;
};

VertexTables make_vertex_tables(const Kokkos::Cuda& space, const LoweredKernel& vertex);

}  // namespace octile::cuda
