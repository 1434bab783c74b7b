// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/block/shared_head.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/plan/tier.hpp>
#include <octile/pairs/conjugate_gradient.hpp>
#include <octile/request.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// Vertices of one graph, in shared memory. In padding the degree and its reciprocal are both 0.
template <int Count>
struct DistributedVertices {
  alignas(16) float2 degrees[Count];  ///< {d_i, scale / d_i}
  double inverse[Count];              ///< scale / d_i; after the iteration, weights of K (`weigh`)
  std::uint32_t label[Count];

  template <class Set>
  __device__ void fill(const Set& set, std::uint32_t first_vertex, int count, double scale) {
    for (int v = static_cast<int>(threadIdx.x); v < Count; v += static_cast<int>(blockDim.x)) {
      const double d = v < count ? set.degrees(first_vertex + v) : 0.0;
      inverse[v] = v < count ? scale / d : 0.0;
      degrees[v] = {static_cast<float>(d), static_cast<float>(inverse[v])};
      label[v] = v < count ? set.vertex_labels(first_vertex + v) : 0;
    }
  }
  /// Replaces `inverse` by the weights w of K = Σ w_i w'_i' x_ii': w = p, or w = d in the system of y.
  template <class Set>
  __device__ void weigh(const Set& set, std::uint32_t first_vertex, int count, RightHandSide which) {
    for (int v = static_cast<int>(threadIdx.x); v < Count; v += static_cast<int>(blockDim.x)) {
      const auto weight = [&] {
        return which == RightHandSide::starting ? set.degrees(first_vertex + v) : set.starting(first_vertex + v);
      };
      inverse[v] = v < count ? weight() : 0.0;
    }
  }
};

/// For products that keep no copy of the ids of G' besides `DistributedVertices`.
struct NoKeptLabels {
  __device__ void set(int, std::uint32_t) {}
};

/// Reads and writes row shares, one row of {share, reciprocal} for each vertex id (see `DistributedHead`).
struct RowShares {
  template <int Pitch>
  __device__ static float2 share(const float2* row, const DistributedSlot& slot) {
    return row[slot.i];
  }
  template <int Pitch>
  __device__ static void set_share(float2* row, int i, float2 share) {
    row[i] = share;
  }
};

/// The head of a block's shared memory: what it begins with. The *row share* of row i is the part d_i / κv(id, v_i) of
/// M_ii' = d_i d'_i' / κv that all columns of one vertex id have in common. Shared memory is laid out as
///
///     this │ row shares {d_i / κv(id, v_i), κv(id, v_i) / d_i}, a row for each id │ p │ z, if kept here │ the product's memory
template <class Product>
struct DistributedHead {
  SharedHead block;
  alignas(16) Bounds<float> bounds[Product::threads / 32];
  float alpha[Product::threads / 32];    ///< α of the previous step, one copy a warp
  unsigned seen[Product::threads / 32];  ///< by the iteration, one copy a warp
  float unscale;                         ///< reciprocal of the factor that N p lacks, which shares of M⁻¹ include
  float volume;                          ///< `Work::judged_by_volume`
  float size;                            ///< about the size of M⁻¹ b, with room above
  DistributedVertices<Product::rows> first;
  DistributedVertices<Product::columns> second;
  typename Product::Labels labels;
};

/// What an iteration has seen, of which each warp keeps a copy in shared memory, since the product needs the registers.
template <class Head>
struct SeenByWarp {
  Head& head;
  __device__ __forceinline__ void begin() { set(Seen::fresh); }
  __device__ __forceinline__ bool has(unsigned any) const { return (head.seen[threadIdx.x / 32] & any) != 0; }
  __device__ __forceinline__ void add(unsigned what) { set(head.seen[threadIdx.x / 32] | what); }
  __device__ __forceinline__ void remove(unsigned what) {
    if (has(what)) set(head.seen[threadIdx.x / 32] & ~what);
  }

 private:
  __device__ __forceinline__ void set(unsigned bits) { write_by_warp(head.seen, bits); }
};

/// Pitch of the row shares, in pairs of floats. With it, lanes that cover four columns and eight rows read different banks.
template <class Product>
inline constexpr int share_pitch = static_cast<int>(share_pitch_of(Product::rows));

/// Bytes of shared memory for the row shares of `ids` vertex ids.
template <class Product>
KOKKOS_INLINE_FUNCTION constexpr std::size_t share_bytes(std::size_t ids) {
  return shared_piece(sizeof(float2) * ids * share_pitch<Product>);
}

/// Bytes of shared memory of a block, without those of the product.
template <class Product>
KOKKOS_INLINE_FUNCTION constexpr std::size_t distributed_bytes(std::size_t ids) {
  return shared_piece(sizeof(DistributedHead<Product>)) + share_bytes<Product>(ids) +
         shared_piece(sizeof(float) * Product::p_floats) + shared_piece(sizeof(float) * Product::z_floats);
}

}  // namespace octile::cuda
