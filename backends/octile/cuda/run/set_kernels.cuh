// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/iterate/work.cuh>
#include <octile/cuda/layout/first_terms.hpp>
#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/run/pair_reciprocals.cuh>
#include <octile/graphs/vertex_order.hpp>
#include <octile/request.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

// What the engine knows of sets and kernels. Types of labels and of base kernels stay behind it, so that the engine and its solver are
// compiled once (typed/set.cuh has what is compiled for each type).
namespace octile::cuda {

/// How many blocks of a kernel are launched, of how many threads and bytes of shared memory, and where.
struct LaunchShape {
  unsigned grid;
  int threads;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

/// A set of graphs on the device, and the kernels that solve its pairs: one for each tier of its plan.
class SetKernels {
 public:
  SetKernels() = default;
  SetKernels& operator=(SetKernels&&) = delete;  // neither copied nor moved
  virtual ~SetKernels() = default;

  /// The kernel of a tier, as CUDA's functions that ask about kernels take it; null if there is none.
  virtual const void* kernel(std::size_t tier, Systems systems) const = 0;

  /// Queues the kernel of a tier. `vertex_table` is κv, unless the set has a κv of a type of its own.
  virtual void launch(std::size_t tier, Systems systems, const LaunchShape& shape, const VertexTable& vertex_table,
                      const Work& work) const = 0;

  /// Forms the `FirstTerms` of both systems by factors of κe, with a fence, if the set's products have use for them and they take no more
  /// than so many bytes. Returns how many they take.
  virtual std::size_t form_first_terms(const Kokkos::Cuda& space, const GaussianFactors& factors,
                                       const VertexTable& vertex_table, std::size_t most_bytes) = 0;
  /// The `FirstTerms` of one system; none where they were not formed.
  virtual FirstTerms first_terms(RightHandSide which) const = 0;
};

/// A set of graphs on the host, in the form that the products of a kind read, and the way to the device.
struct SetOnHost {
  Product kind;
  std::span<const Tier> tiers;  ///< of the kernels
  std::size_t factors_at_once;  ///< how many vectors T the factored product for pairs of any size keeps; 0 for others
  SetSizes sizes;               ///< `vertex_ids` is that of the κv to be given; 0 where the set has its own
  std::vector<VertexOrder> orders;
  std::vector<double> weight_scales;  ///< the factor of each graph's weights
  std::size_t bytes;                  ///< on the device
  OctileChoice choice;                ///< which octiles are taken as dense, and by which steps
  /// Copies the set, with a fence, and frees what the host has of it: to be called once. If `by_pair` is not null, it takes over the
  /// vertices' record numbers (`ReciprocalsByPair::exchange_labels`).
  std::function<std::unique_ptr<SetKernels>(const Kokkos::Cuda& space, ReciprocalsByPair* by_pair)> to_device;
};

}  // namespace octile::cuda
