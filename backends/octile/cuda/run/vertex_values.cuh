// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/plan/choice.hpp>
#include <octile/cuda/run/pair_reciprocals.cuh>
#include <octile/cuda/run/vertex_tables.cuh>
#include <octile/kernels/lowering.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace octile::cuda {

/// What a solver keeps on the device of κv: a table of all pairs of records, or, where records are too many, what forms the values
/// of each pair of graphs.
class VertexValues {
 public:
  /// `tables` has those of the kernel by attribute, or is null.
  VertexValues(const Kokkos::Cuda& space, const LoweredKernel& vertex, bool tabulated, SharedTables* tables) {
    if (tabulated) {
      tables_ = make_vertex_tables(space, vertex);
    } else {
      by_pair_.emplace(space, vertex, *tables_of(tables, vertex));
    }
  }

  /// What kernels take. Without a table, its numbers are yet to be formed.
  VertexTable kernel() const {
    return {tables_.reciprocals.data(), reinterpret_cast<const float2*>(tables_.singles.data()), tables_.ids};
  }
  /// What forms the values of each pair; null if there is a table.
  ReciprocalsByPair* by_pair() { return by_pair_ ? &*by_pair_ : nullptr; }

  /// Bytes for each unknown of pairs that are solved together.
  std::size_t each() const { return by_pair_ ? sizeof(double) : 0; }
  /// Bytes that do not depend on the pairs.
  std::size_t bytes() const {
    return by_pair_ ? by_pair_->bytes() : std::size_t{tables_.ids} * tables_.ids * vertex_table_bytes;
  }
  std::string description() const {
    return by_pair_ ? ", vertex kernel once a pair by " + by_pair_->description() : "";
  }

 private:
  VertexTables tables_;
  std::optional<ReciprocalsByPair> by_pair_;
};

}  // namespace octile::cuda
