// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/vertex_tables.cuh>

#include <octile/pairs/reciprocal_table.hpp>

namespace octile::cuda {

VertexTables make_vertex_tables(const Kokkos::Cuda& space, const LoweredKernel& vertex) {
  const RuntimeKernel<double, Kokkos::CudaSpace> kernel(space, vertex);
  const std::size_t ids = vertex.table_ids();
  VertexTables tables;
  tables.ids = static_cast<std::uint32_t>(ids);
  tables.reciprocals = reciprocal_table(space, kernel, ids);
  tables.singles = VertexTables::Array<float>(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::cuda::vertex_singles"), 2 * ids * ids);
  const VertexTables::Array<double> reciprocals = tables.reciprocals;
  const VertexTables::Array<float> singles = tables.singles;
  Kokkos::parallel_for(
      "octile::cuda::vertex_singles",
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::size_t>>(space, 0, ids * ids),
      KOKKOS_LAMBDA(const std::size_t k) {
        singles(2 * k) = static_cast<float>(1.0 / reciprocals(k));
        singles(2 * k + 1) = static_cast<float>(reciprocals(k));
      });
  space.fence("octile::cuda::make_vertex_tables");
  return tables;
}

}  // namespace octile::cuda
