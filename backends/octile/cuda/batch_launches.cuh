// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/buffers.cuh>
#include <octile/cuda/edge_kernels.cuh>
#include <octile/cuda/layout/batch_slices.hpp>
#include <octile/prepared_graphs.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>

namespace octile::cuda {

/// What the launches for batches keep from solve to solve.
struct BatchLaunches {
  /// How many blocks of a kernel a multiprocessor holds, which takes the driver some time to say.
  struct Occupancy {
    const void* kernel = nullptr;
    std::size_t bytes = 0;
    std::size_t blocks = 0;
  };
  static constexpr std::size_t most_shapes = 4;

  Streams streams;
  std::array<Occupancy, most_shapes> known;
};

/// A solve of pairs of a batch that is laid out.
template <class Stored>
struct BatchTask {
  const BatchSet<std::uint32_t, Stored, Kokkos::CudaSpace>& set;
  const Capacity& capacity;
  const BatchWork& asked;
  const double* reciprocals;  ///< 1/κv of each pair where its solution would begin
  double q;
};

// Queue the launches of a task, without a fence, where κe is a `LeafProduct`. The library has these kernels compiled, in files of
// their own.
void launch_batch(const Kokkos::Cuda& space, BatchLaunches& launches, const BatchTask<NoLabel>& task,
                  const FastConstant& edges);
void launch_batch(const Kokkos::Cuda& space, BatchLaunches& launches, const BatchTask<float>& task,
                  const FastGaussian& edges);
void launch_batch(const Kokkos::Cuda& space, BatchLaunches& launches, const BatchTask<NumberAndCode>& task,
                  const FastProduct& edges);

}  // namespace octile::cuda
