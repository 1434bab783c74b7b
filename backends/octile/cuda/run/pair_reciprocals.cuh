// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/device/buffers.cuh>
#include <octile/kernels/lowering.hpp>
#include <octile/pairs/attribute_kernel.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace octile::cuda {

/// κv of a set's vertices, evaluated for lists of pairs on the device, by small tables. A file of its own has the kernel.
class ReciprocalsByPair {
 public:
  /// Forms values of κv, which is `vertex`, by its `tables`.
  ReciprocalsByPair(const Kokkos::Cuda& space, const LoweredKernel& vertex, const AttributeTables& tables)
      : kernel_(space, vertex, tables), bytes_(tables.bytes()), description_(tables.description()) {}

  /// Takes the vertices' record numbers over from a set, and gives it the vertices' places in their graphs (`VertexTable`).
  /// `vertex_begin` is where each graph's vertices begin. The only fence is on `space`, at the end.
  void exchange_labels(const Kokkos::Cuda& space, const Array<std::uint32_t>& vertex_begin,
                       Array<std::uint32_t>& labels);

  /// Queues 1/κv of the vertices of `count` pairs, whose numbers begin at `begin`, `unknowns` in all, and says where they will stand
  /// until the next call. Memory is kept.
  const double* form(const Kokkos::Cuda& space, const Pair* pairs, const std::size_t* begin, std::size_t count,
                     std::size_t unknowns);

  /// Bytes on the device, without the values of pairs.
  std::size_t bytes() const { return bytes_; }
  std::string description() const { return description_; }

 private:
  AttributeKernel<Kokkos::CudaSpace> kernel_;
  std::size_t bytes_;
  std::string description_;
  Array<std::uint32_t> vertex_begin_;
  Array<std::uint32_t> records_;
  Array<double> values_;
};

}  // namespace octile::cuda
