// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/batch_launches.cuh>
#include <octile/cuda/batch_shape.cuh>
#include <octile/cuda/launch.cuh>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace octile::cuda {

/// Queues the launches of a task, without a fence, with an edge kernel of edge_kernels.cuh: one a shape, on a stream each.
template <class Stored, class Edges>
void launch_shapes(const Kokkos::Cuda& space, BatchLaunches& launches, const BatchTask<Stored>& task,
                   const Edges& edges) {
  using Set = BatchSet<std::uint32_t, Stored, Kokkos::CudaSpace>;
  static_assert(batch_shapes <= BatchLaunches::most_shapes);
  const BatchWork& asked = task.asked;
  const OnDevice device(space);
  std::size_t count = 0;
  for_each_batch_shape(task.capacity, [&]<int, int>(int, int) { ++count; });
  launches.streams.fork(space.cuda_stream(), count);
  for_each_batch_shape(task.capacity, [&]<int Threads, int K>(int number, int more_than) {
    using Shape = BatchShape<Set, Edges, Threads, K>;
    const auto* const kernel = reinterpret_cast<const void*>(Shape::kernel);
    const std::size_t entries = Shape::entries(task.capacity, space.cuda_device_prop().sharedMemPerBlockOptin);
    if (entries == 0) return;  // such large labels, or so many vertices
    const std::size_t bytes = Shape::bytes(task.capacity.vertices_of_largest, entries);
    BatchLaunches::Occupancy& known = launches.known[static_cast<std::size_t>(number)];
    if (known.kernel != kernel || known.bytes != bytes) {
      allow_shared_memory(space, kernel, bytes);
      known = {kernel, bytes, blocks_a_multiprocessor(space, kernel, Shape::threads, bytes)};
    }
    const auto multiprocessors = static_cast<std::size_t>(space.cuda_device_prop().multiProcessorCount);
    const std::size_t grid = std::min(static_cast<std::size_t>(asked.count), known.blocks * multiprocessors);
    if (grid == 0) return;
    Work work = work_of(asked, task.q);
    work.next += number;
    const cudaStream_t stream = launches.streams[static_cast<std::size_t>(number)];
    Shape::kernel<<<static_cast<unsigned>(grid), Shape::threads, bytes, stream>>>(
        Shape::set_of(task.set, asked, more_than, entries), by_pair(task.reciprocals), edges, work);
    require_success(cudaGetLastError(), "launch of octile::cuda::solve_pairs");
  });
  launches.streams.join(space.cuda_stream(), count);
}

}  // namespace octile::cuda
