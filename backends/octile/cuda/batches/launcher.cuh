// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/batches/shape.cuh>
#include <octile/cuda/batches/solver.hpp>
#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/device/launch.cuh>
#include <octile/cuda/typed/edge_kernels.cuh>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace octile::cuda {

/// On a GPU: one launch a shape, on a stream each.
template <>
struct BatchLauncher<Kokkos::Cuda> {
  static constexpr int shapes = batch_shapes;
  static constexpr std::size_t most_elements = most_batch_elements;
  template <class Stored>
  using Task = BatchTask<Stored, Kokkos::Cuda>;

  template <class Stored, class EdgeKernel>
  void launch(const Kokkos::Cuda& space, const Task<Stored>& task, const EdgeKernel& edge_kernel) {
    const auto edges = native_edges<Stored>(edge_kernel);
    if constexpr (std::is_same_v<EdgeKernel, LeafProduct>) {
      launch_compiled(space, task, edges);
    } else {
      launch_shapes(space, task, edges);
    }
  }

  // Launches for κe that is a `LeafProduct`: the library has these kernels compiled, in files of their own (instances).
  void launch_compiled(const Kokkos::Cuda& space, const Task<NoLabel>& task, const FastConstant& edges);
  void launch_compiled(const Kokkos::Cuda& space, const Task<float>& task, const FastGaussian& edges);
  void launch_compiled(const Kokkos::Cuda& space, const Task<NumberAndCode>& task, const FastProduct& edges);

  /// Launches with any edge kernel of edge_kernels.cuh.
  template <class Stored, class Edges>
  void launch_shapes(const Kokkos::Cuda& space, const Task<Stored>& task, const Edges& edges);

 private:
  /// How many blocks of a kernel a multiprocessor holds, which takes the driver some time to say.
  struct Occupancy {
    const void* kernel = nullptr;
    std::size_t bytes = 0;
    std::size_t blocks = 0;
  };

  Streams streams_;
  std::array<Occupancy, batch_shapes> known_;
};

template <class Stored, class Edges>
void BatchLauncher<Kokkos::Cuda>::launch_shapes(const Kokkos::Cuda& space, const Task<Stored>& task,
                                                const Edges& edges) {
  using Set = BatchSet<std::uint32_t, Stored, Kokkos::CudaSpace>;
  const BatchWork& asked = task.asked;
  const OnDevice device(space);
  std::size_t count = 0;
  for_each_batch_shape(task.capacity, [&]<int, int>(int, int) { ++count; });
  streams_.fork(space.cuda_stream(), count);
  for_each_batch_shape(task.capacity, [&]<int Threads, int K>(int number, int more_than) {
    using Shape = BatchShape<Set, Edges, Threads, K>;
    const auto* const kernel = reinterpret_cast<const void*>(Shape::kernel);
    const std::size_t entries = Shape::entries(task.capacity, space.cuda_device_prop().sharedMemPerBlockOptin);
    if (entries == 0) return;  // such large labels, or so many vertices
    const std::size_t bytes = Shape::bytes(Shape::vertices(task.capacity), entries);
    Occupancy& known = known_[static_cast<std::size_t>(number)];
    if (known.kernel != kernel || known.bytes != bytes) {
      allow_shared_memory(space, kernel, bytes);
      known = {kernel, bytes, blocks_a_multiprocessor(space, kernel, Shape::threads, bytes)};
    }
    const auto multiprocessors = static_cast<std::size_t>(space.cuda_device_prop().multiProcessorCount);
    const std::size_t grid = std::min(static_cast<std::size_t>(asked.count), known.blocks * multiprocessors);
    if (grid == 0) return;
    Work work = work_of(asked, task.q);
    work.next += number;
    const cudaStream_t stream = streams_[count - 1 - static_cast<std::size_t>(number)];  // the largest pairs first
    Shape::kernel<<<static_cast<unsigned>(grid), Shape::threads, bytes, stream>>>(
        Shape::set_of(task.set, asked, more_than, entries), table_by_pair(task.reciprocals), edges, work);
    require_success(cudaGetLastError(), "launch of octile::cuda::solve_pairs");
  });
  streams_.join(space.cuda_stream(), count);
}

}  // namespace octile::cuda
