// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/cuda/batch_shape.cuh>
#include <octile/cuda/buffers.cuh>
#include <octile/cuda/edge_kernels.cuh>
#include <octile/cuda/launch.cuh>
#include <octile/cuda/layout/batch_slices.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace octile::cuda {

/// Whether a base kernel says that its code is long, or is made of one that does.
template <class Kernel>
struct IsLong {
  static constexpr bool value = requires { Kernel::is_long; };
};
template <auto Member, class Kernel>
struct IsLong<Field<Member, Kernel>> : IsLong<Kernel> {};
template <class Kernel>
struct IsLong<RConvolution<Kernel>> : IsLong<Kernel> {};
template <class First, class... Rest>
struct IsLong<TensorProduct<First, Rest...>> {
  static constexpr bool value = (IsLong<First>::value || ... || IsLong<Rest>::value);
};
template <class First, class Second>
struct IsLong<WeightedSum<First, Second>> {
  static constexpr bool value = IsLong<First>::value || IsLong<Second>::value;
};

/// Puts a base kernel into the memory of the device.
template <class Kernel>
struct StoreKernel {
  Kernel kernel;
  Kernel* place;
  KOKKOS_FUNCTION void operator()(const int) const { *place = kernel; }
};

/// The native kernels for graphs that lie on a device, in float: they are laid out there, and any base kernels over labels of any type
/// are evaluated wherever they are met. Nothing is read back. Results of pairs that the kernels have no shape for are not written.
template <class Prepared>
class BatchSolver : public BatchLayout<Prepared> {
  using Layout = BatchLayout<Prepared>;

 public:
  using Set = typename Layout::Set;

  /// Whether an edge kernel is evaluated quickly enough where it is met.
  template <class EdgeKernel>
  static constexpr bool evaluates() {
    return !IsLong<EdgeKernel>::value;
  }

  void reserve(const Kokkos::Cuda& space, const Capacity& capacity) {
    Layout::reserve(space, capacity);
    grow(space, stored_vertex_, "vertex_kernel", most_stored);
  }

  /// Queues the solves, without a fence.
  template <class VertexKernel, class EdgeKernel>
  void solve(const Kokkos::Cuda& space, const BatchWork& asked, const VertexKernel& vertex_kernel,
             const EdgeKernel& edge_kernel) {
    if (asked.count == 0) return;
    const OnDevice device(space);
    const auto vertices = stored(space, vertex_kernel);
    using Vertices = std::remove_const_t<decltype(vertices)>;
    std::size_t count = 0;
    for_each_batch_shape(this->capacity(), [&]<int, int>(int, int) { ++count; });
    streams_->fork(space.cuda_stream(), count);
    for_each_batch_shape(this->capacity(), [&]<int Threads, int K>(int number, int more_than) {
      this->template launch<BatchShape<Set, Vertices, EdgeKernel, Threads, K>>(space, number, more_than, asked,
                                                                               vertices, edge_kernel);
    });
    streams_->join(space.cuda_stream(), count);
  }

 private:
  /// The kernel as it is, or if its code is long, in the memory of the device.
  template <class Kernel>
  auto stored(const Kokkos::Cuda& space, const Kernel& kernel) const {
    if constexpr (IsLong<Kernel>::value) {
      static_assert(alignof(Kernel) <= alignof(std::uint64_t) && sizeof(Kernel) <= most_stored * sizeof(std::uint64_t));
      auto* const place = reinterpret_cast<Kernel*>(stored_vertex_.data());
      Kokkos::parallel_for("octile::store_kernel", without_waiting(Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, 1)),
                           StoreKernel<Kernel>{kernel, place});
      return StoredKernel<Kernel>{place};
    } else {
      return kernel;
    }
  }

  template <class Shape, class VertexKernel, class EdgeKernel>
  void launch(const Kokkos::Cuda& space, int number, int more_than, const BatchWork& asked,
              const VertexKernel& vertex_kernel, const EdgeKernel& edge_kernel) {
    const auto* const kernel = reinterpret_cast<const void*>(Shape::kernel);
    const std::size_t entries = Shape::entries(this->capacity(), space.cuda_device_prop().sharedMemPerBlockOptin);
    if (entries == 0) return;  // such large labels, or so many vertices
    const std::size_t bytes = Shape::bytes(this->capacity().vertices_of_largest, entries);
    Occupancy& known = known_[static_cast<std::size_t>(number)];
    if (known.kernel != kernel || known.bytes != bytes) {
      allow_shared_memory(space, kernel, bytes);
      known = {kernel, bytes, blocks_a_multiprocessor(space, kernel, Shape::threads, bytes)};
    }
    const auto multiprocessors = static_cast<std::size_t>(space.cuda_device_prop().multiProcessorCount);
    const std::size_t grid = std::min(static_cast<std::size_t>(asked.count), known.blocks * multiprocessors);
    if (grid == 0) return;
    Work work = work_of(asked, this->q());
    work.next += number;
    const cudaStream_t stream = (*streams_)[static_cast<std::size_t>(number)];
    Shape::kernel<<<static_cast<unsigned>(grid), Shape::threads, bytes, stream>>>(
        this->template set_of<Shape>(asked, more_than, entries), vertex_kernel, typename Shape::Edges{edge_kernel},
        work);
    require_success(cudaGetLastError(), "launch of octile::cuda::solve_pairs");
  }

  /// How many blocks of a kernel a multiprocessor holds, which takes the driver some time to say.
  struct Occupancy {
    const void* kernel = nullptr;
    std::size_t bytes = 0;
    std::size_t blocks = 0;
  };

  std::shared_ptr<Streams> streams_ = std::make_shared<Streams>();  ///< copies of a solver serve the same handle
  static constexpr std::size_t most_stored = 512;
  Array<std::uint64_t> stored_vertex_;  ///< where a vertex kernel lies whose code is long
  std::array<Occupancy, batch_shapes> known_;
};

}  // namespace octile::cuda
