// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/pair_reciprocals.cuh>
#include <octile/cuda/plan/choice.hpp>
#include <octile/cuda/vertex_tables.cuh>
#include <octile/lowering.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace octile::cuda {

/// What a solver keeps on the device of κv, for kernels that read it in one of two ways. `kernel()` is what they take, `each` the
/// bytes for each unknown of pairs that are solved together, `by_pair()` what forms these.
template <class VertexKernel>
class VertexValues;

/// Tables of all pairs of records.
template <>
class VertexValues<VertexTable> {
 public:
  static constexpr std::size_t each = 0;

  VertexValues(const Kokkos::Cuda& space, const LoweredKernel& vertex) : tables_(make_vertex_tables(space, vertex)) {}

  VertexTable kernel() const {
    return {tables_.reciprocals.data(), reinterpret_cast<const float2*>(tables_.singles.data()), tables_.ids};
  }
  ReciprocalsByPair* by_pair() { return nullptr; }
  std::size_t bytes() const { return std::size_t{tables_.ids} * tables_.ids * vertex_table_bytes; }
  std::string description() const { return ""; }

 private:
  VertexTables tables_;
};

/// Values for each pair of graphs, for records that are too many.
template <>
class VertexValues<PairReciprocals> {
 public:
  static constexpr std::size_t each = sizeof(double);

  VertexValues(const Kokkos::Cuda& space, const LoweredKernel& vertex) : by_pair_(space, vertex) {}

  PairReciprocals kernel() const { return {nullptr}; }
  ReciprocalsByPair* by_pair() { return &by_pair_; }
  std::size_t bytes() const { return by_pair_.bytes(); }
  std::string description() const { return ", vertex kernel once a pair by " + by_pair_.description(); }

 private:
  ReciprocalsByPair by_pair_;
};

}  // namespace octile::cuda
