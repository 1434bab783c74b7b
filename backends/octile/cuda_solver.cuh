// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda_kernels.cuh>
#include <octile/cuda_set.hpp>
#include <octile/cuda_solve.cuh>
#include <octile/error.hpp>
#include <octile/gram.hpp>
#include <octile/lowered_set.hpp>
#include <octile/solver_setup.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace octile::cuda {

inline void require_success(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(fmt::format("CUDA: {}: {}", what, cudaGetErrorString(status)));
}

template <class T>
using Array = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::Cuda::memory_space>;

/// Makes an array at least so long; it keeps its memory from call to call, but not its values.
template <class T>
void grow(const Kokkos::Cuda& space, Array<T>& array, const char* name, std::size_t length) {
  if (array.extent(0) >= length) return;
  array = {};
  array = Array<T>(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, fmt::format("octile::{}", name)), length);
}

template <class T>
auto host_view(T* values, std::size_t count) {
  return Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values, count);
}

template <class T>
auto subview(const Array<T>& array, std::size_t count) {
  return Kokkos::subview(array, std::pair<std::size_t, std::size_t>(0, count));
}

/// What the pairs of a call take on the device.
struct Buffers {
  Array<Pair> pairs;
  Array<PairResult> results;
  Array<int> next;  ///< a counter a tier
  Array<float> nodewise;

  void reserve(const Kokkos::Cuda& space, std::size_t count, std::size_t tiers, std::size_t elements) {
    grow(space, pairs, "pairs", count);
    grow(space, results, "results", count);
    grow(space, next, "next_pair", tiers);
    grow(space, nodewise, "nodewise", elements);
  }
};

/// Streams that leave the caller's and come back to it, so that the last pairs of one tier run beside the first of the
/// next. All in the caller's order, and nothing waits on the host. They time what is between leaving and coming back.
class Streams {
 public:
  Streams() = default;
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() {
    for (const cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    for (const cudaEvent_t event : span_) {
      if (event != nullptr) cudaEventDestroy(event);
    }
  }

  cudaStream_t operator[](std::size_t k) const { return streams_[k]; }

  void fork(cudaStream_t from, std::size_t count) {
    while (streams_.size() < count) {
      require_success(cudaStreamCreateWithFlags(&streams_.emplace_back(), cudaStreamNonBlocking), "a stream");
    }
    while (events_.size() < count) {
      require_success(cudaEventCreateWithFlags(&events_.emplace_back(), cudaEventDisableTiming), "an event");
    }
    for (cudaEvent_t& event : span_) {
      if (event == nullptr) require_success(cudaEventCreate(&event), "an event");
    }
    require_success(cudaEventRecord(span_[0], from), "an event");
    for (std::size_t k = 0; k < count; ++k) {
      require_success(cudaStreamWaitEvent(streams_[k], span_[0]), "a stream's wait");
    }
  }

  void join(cudaStream_t into, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      require_success(cudaEventRecord(events_[k], streams_[k]), "an event");
      require_success(cudaStreamWaitEvent(into, events_[k]), "a stream's wait");
    }
    require_success(cudaEventRecord(span_[1], into), "an event");
  }

  /// Between the last fork and its join, which must be over.
  double seconds() const {
    float milliseconds = 0;
    if (span_[0] != nullptr) require_success(cudaEventElapsedTime(&milliseconds, span_[0], span_[1]), "a time");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  std::array<cudaEvent_t, 2> span_{};
};

/// The native solver: float, κe one of cuda_kernels.cuh. Each pair goes to the first of the tiers that takes it.
template <class EdgeLabel, class EdgeKernel>
class Solver final : public PairSolver {
 public:
  using Space = Kokkos::Cuda;
  using MemorySpace = Space::memory_space;
  using Set = CudaSet<EdgeLabel, MemorySpace>;

  template <class ReadEdge>
  Solver(const Space& space, const SolverSetup& setup, const LoweredSet& lowered, const EdgeKernel& edge_kernel,
         const ReadEdge& read_edge)
      : space_(space),
        vertex_table_(vertex_table(space, lowered.vertex)),
        vertex_ids_(static_cast<std::uint32_t>(lowered.vertex.constant() ? 1 : lowered.vertex.record_count)),
        edge_kernel_(edge_kernel),
        options_(setup.options),
        scale_(setup.kernel.stopping.q() * setup.kernel.stopping.q()) {
    CudaSetBuilder<EdgeLabel> builder;
    for (std::size_t g = 0; g < setup.graphs.size(); ++g) {
      builder.add(setup.graphs[g], setup.kernel.stopping, lowered.vertex.ids[g],
                  [&](std::size_t e) { return read_edge(g, e); });
      vertices_.push_back(static_cast<std::size_t>(setup.graphs[g].vertex_count()));
    }
    entries_ = builder.row_elements();
    costs_ = builder.costs();
    const std::size_t bytes = builder.bytes();
    require_memory(setup, bytes);
    memory_ = setup.memory - bytes;
    set_ = builder.build(space);
    description_ = describe(setup, lowered, "native CUDA", "slices", bytes);
  }

  void solve(std::span<const Pair> pairs, std::span<PairResult> results) override { run(pairs, results, nullptr); }

  PairResult solve_nodewise(Pair pair, std::vector<double>& nodewise) override {
    PairResult result;
    run({&pair, 1}, {&result, 1}, &nodewise);
    return result;
  }

  double device_seconds() const override { return streams_.seconds(); }
  std::string description() const override { return description_; }

 private:
  using Kernel = void (*)(Set, VertexTable, EdgeKernel, Work);

  /// One shape of the kernel, for the pairs that fit it.
  struct Tier {
    Kernel kernel;
    int threads;
    std::size_t most_elements;
    VectorPlace place;
  };

  template <int Threads, int K>
  static constexpr Tier in_registers() {
    return {solve_pairs<Set, EdgeKernel, Threads, K, VectorPlace::registers>, Threads, std::size_t(Threads) * K,
            VectorPlace::registers};
  }

  template <VectorPlace Where>
  static constexpr Tier in_memory() {
    return {solve_pairs<Set, EdgeKernel, 1024, 0, Where>, 1024, SIZE_MAX, Where};
  }

  static const auto& tiers() {
    static const std::array list{
        in_registers<32, 8>(),   in_registers<32, 16>(),           in_registers<64, 12>(),
        in_registers<64, 16>(),  in_registers<128, 12>(),          in_registers<128, 16>(),
        in_registers<256, 12>(), in_registers<256, 16>(),          in_registers<512, 12>(),
        in_registers<1024, 9>(), in_memory<VectorPlace::shared>(), in_memory<VectorPlace::global>()};
    return list;
  }

  /// A constant is a table of one id, which all vertices have.
  static auto vertex_table(const Space& space, const LoweredKernel& vertex) {
    const std::vector<double> table =
        vertex.constant() ? std::vector<double>{vertex.program[0].parameter} : vertex.table;
    auto view = detail::to_memory<MemorySpace>(space, "vertex_table", table);
    space.fence("octile::cuda::Solver");
    return view;
  }

  static std::size_t index(std::int32_t graph) { return static_cast<std::size_t>(graph); }
  std::size_t elements(Pair pair) const { return vertices_[index(pair.first)] * vertices_[index(pair.second)]; }

  std::size_t shared_bytes(const Tier& tier, Pair pair) const {
    const std::size_t length = tier.place == VectorPlace::registers ? tier.most_elements : elements(pair);
    return SharedLayout::bytes<EdgeLabel>(tier.place, length, entries_[index(pair.first)],
                                          vertices_[index(pair.first)]);
  }

  std::size_t tier_of(Pair pair, std::size_t most_shared) const {
    const auto fits = [&](const Tier& tier) {
      return elements(pair) <= tier.most_elements && shared_bytes(tier, pair) <= most_shared;
    };
    return static_cast<std::size_t>(std::ranges::find_if(tiers(), fits) - tiers().begin());
  }

  /// The graph that fills lanes better goes second: K is symmetric.
  bool better_swapped(Pair pair) const {
    const auto cost = [&](std::int32_t rows, std::int32_t lanes) {
      return costs_[index(lanes)].element * entries_[index(rows)] + costs_[index(lanes)].row * vertices_[index(rows)];
    };
    return cost(pair.second, pair.first) < cost(pair.first, pair.second);
  }

  void run(std::span<const Pair> pairs, std::span<PairResult> results, std::vector<double>* nodewise) {
    if (pairs.empty()) return;
    Kokkos::Profiling::ScopedRegion region("octile::cuda::solve");
    const std::vector<Part> parts = sort_out(pairs);
    buffers_.reserve(space_, pairs.size(), tiers().size(), nodewise != nullptr ? elements(pairs[0]) : 0);
    Kokkos::deep_copy(space_, subview(buffers_.pairs, pairs.size()), host_view(sorted_.data(), pairs.size()));
    Kokkos::deep_copy(space_, buffers_.next, 0);
    streams_.fork(space_.cuda_stream(), parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Part& part = parts[k];
      Work work{};
      work.pairs = buffers_.pairs.data() + part.begin;
      work.results = buffers_.results.data() + part.begin;
      work.next = buffers_.next.data() + part.tier;
      work.nodewise = nodewise != nullptr ? buffers_.nodewise.data() : nullptr;
      work.scale = scale_;
      work.options = options_;
      launch(part.tier, {sorted_.data() + part.begin, part.end - part.begin}, work, streams_[k]);
    }
    streams_.join(space_.cuda_stream(), parts.size());
    solved_.resize(pairs.size());
    Kokkos::deep_copy(space_, host_view(solved_.data(), pairs.size()), subview(buffers_.results, pairs.size()));
    std::vector<float> x(nodewise != nullptr ? elements(pairs[0]) : 0);
    if (nodewise != nullptr) {
      Kokkos::deep_copy(space_, host_view(x.data(), x.size()), subview(buffers_.nodewise, x.size()));
    }
    space_.fence("octile::cuda::solve");
    for (std::size_t k = 0; k < pairs.size(); ++k) results[order_[k]] = solved_[k];
    if (nodewise != nullptr) {
      const std::size_t m = vertices_[index(pairs[0].second)];
      const std::size_t n = vertices_[index(pairs[0].first)];
      const bool swapped = sorted_[0].first != pairs[0].first;
      nodewise->resize(x.size());
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j) (*nodewise)[i * m + j] = x[swapped ? j * n + i : i * m + j];
      }
    }
  }

  /// Pairs of one tier, in `sorted_`.
  struct Part {
    std::size_t tier;
    std::size_t begin;
    std::size_t end;
  };

  /// Fills `sorted_` and `order_`: pairs by tier, the largest tier first, and within a tier in the order that they came.
  std::vector<Part> sort_out(std::span<const Pair> pairs) {
    const std::size_t most_shared = space_.cuda_device_prop().sharedMemPerBlockOptin;
    std::vector<Pair> oriented(pairs.begin(), pairs.end());
    std::vector<std::size_t> tier(pairs.size());
    std::vector<std::size_t> next(tiers().size() + 1, 0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (better_swapped(oriented[k])) std::swap(oriented[k].first, oriented[k].second);
      tier[k] = tier_of(oriented[k], most_shared);
      ++next[tiers().size() - 1 - tier[k] + 1];
    }
    std::vector<Part> parts;
    for (std::size_t t = 0; t < tiers().size(); ++t) {
      if (next[t + 1] > 0) parts.push_back({tiers().size() - 1 - t, next[t], next[t] + next[t + 1]});
      next[t + 1] += next[t];
    }
    sorted_.resize(pairs.size());
    order_.resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const std::size_t place = next[tiers().size() - 1 - tier[k]]++;
      sorted_[place] = oriented[k];
      order_[place] = k;
    }
    return parts;
  }

  /// Queues a tier's pairs on a stream.
  void launch(std::size_t which, std::span<const Pair> pairs, Work work, cudaStream_t stream) {
    const Tier& tier = tiers()[which];
    std::size_t bytes = 0;
    Pair largest = pairs[0];
    for (const Pair& pair : pairs) {
      bytes = std::max(bytes, shared_bytes(tier, pair));
      if (elements(pair) > elements(largest)) largest = pair;
    }
    work.count = static_cast<int>(pairs.size());
    work.vector_length = elements(largest);
    require_success(cudaFuncSetAttribute(reinterpret_cast<const void*>(tier.kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                    "shared memory of octile::cuda::solve_pairs");
    int blocks = 0;
    require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(tier.kernel),
                                                                  tier.threads, bytes),
                    "occupancy of octile::cuda::solve_pairs");
    std::size_t grid =
        std::min(pairs.size(), static_cast<std::size_t>(blocks) *
                                   static_cast<std::size_t>(space_.cuda_device_prop().multiProcessorCount));
    if (tier.place != VectorPlace::registers) {
      const std::size_t stride = vectors_in_global(tier.place) * work.vector_length;
      grid = std::min(grid, pairs_that_fit(stride * sizeof(float), memory_, vertices_[index(largest.first)],
                                           vertices_[index(largest.second)]));
      auto& workspace = workspaces_[which];
      grow(space_, workspace, "workspace", stride * grid);
      work.workspace = workspace.data();
    }
    tier.kernel<<<static_cast<unsigned>(grid), tier.threads, bytes, stream>>>(
        set_, VertexTable{vertex_table_.data(), vertex_ids_}, edge_kernel_, work);
    require_success(cudaGetLastError(), "launch of octile::cuda::solve_pairs");
  }

  Space space_;
  Set set_;
  Kokkos::View<double*, Kokkos::LayoutRight, MemorySpace> vertex_table_;  ///< κv over ids
  std::uint32_t vertex_ids_;
  EdgeKernel edge_kernel_;
  SolveOptions options_;
  double scale_;
  std::size_t memory_ = 0;  ///< bytes for work space
  std::string description_;
  std::vector<std::size_t> vertices_;
  std::vector<std::size_t> entries_;  ///< elements in the rows of each graph
  std::vector<SliceCosts> costs_;
  std::map<std::size_t, Array<float>> workspaces_;  ///< by tier: tiers run side by side
  Buffers buffers_;
  Streams streams_;
  std::vector<Pair> sorted_;        ///< as the device has them
  std::vector<std::size_t> order_;  ///< where `sorted_` came from
  std::vector<PairResult> solved_;
};

}  // namespace octile::cuda
