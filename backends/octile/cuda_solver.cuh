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
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace octile::cuda {

inline void require_success(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(fmt::format("CUDA: {}: {}", what, cudaGetErrorString(status)));
}

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
        in_registers<32, 8>(),           in_registers<32, 16>(),  in_registers<32, 24>(),
        in_registers<32, 32>(),          in_registers<128, 16>(), in_registers<256, 16>(),
        in_registers<512, 12>(),         in_registers<1024, 9>(), in_memory<VectorPlace::shared>(),
        in_memory<VectorPlace::global>()};
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
    return SharedLayout::bytes<EdgeLabel>(tier.place, elements(pair), entries_[index(pair.first)]);
  }

  std::size_t tier_of(Pair pair, std::size_t most_shared) const {
    const auto fits = [&](const Tier& tier) {
      return elements(pair) <= tier.most_elements && shared_bytes(tier, pair) <= most_shared;
    };
    return static_cast<std::size_t>(std::ranges::find_if(tiers(), fits) - tiers().begin());
  }

  void run(std::span<const Pair> pairs, std::span<PairResult> results, std::vector<double>* nodewise) {
    if (pairs.empty()) return;
    Kokkos::Profiling::ScopedRegion region("octile::cuda::solve");
    const std::size_t most_shared = space_.cuda_device_prop().sharedMemPerBlockOptin;
    // Pairs by tier, the largest tier first, and within a tier in the order that they came.
    std::vector<std::size_t> tier(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) tier[k] = tier_of(pairs[k], most_shared);
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t k) { return tier[k]; });
    std::vector<Pair> sorted(pairs.size());
    for (std::size_t k = 0; k < order.size(); ++k) sorted[k] = pairs[order[k]];

    const auto device_pairs = detail::to_memory<MemorySpace>(space_, "pairs", sorted);
    const Kokkos::View<PairResult*, MemorySpace> device_results(
        Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, "octile::results"), pairs.size());
    const Kokkos::View<int*, MemorySpace> next(Kokkos::view_alloc(space_, "octile::next_pair"), tiers().size());
    Kokkos::View<float*, MemorySpace> x;
    if (nodewise != nullptr) x = decltype(x)(Kokkos::view_alloc(space_, "octile::nodewise"), elements(pairs[0]));
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      while (end < order.size() && tier[order[end]] == tier[order[begin]]) ++end;
      const std::size_t which = tier[order[begin]];
      Work work{};
      work.pairs = device_pairs.data() + begin;
      work.results = device_results.data() + begin;
      work.next = next.data() + which;
      work.nodewise = nodewise != nullptr ? x.data() : nullptr;
      work.scale = scale_;
      work.options = options_;
      launch(tiers()[which], {sorted.data() + begin, end - begin}, work);
      begin = end;
    }
    std::vector<PairResult> solved(pairs.size());
    Kokkos::deep_copy(space_, Kokkos::View<PairResult*, Kokkos::HostSpace>(solved.data(), solved.size()),
                      device_results);
    if (nodewise != nullptr) {
      std::vector<float> copy(x.extent(0));
      Kokkos::deep_copy(space_, Kokkos::View<float*, Kokkos::HostSpace>(copy.data(), copy.size()), x);
      space_.fence("octile::cuda::solve_nodewise");
      nodewise->assign(copy.begin(), copy.end());
    }
    space_.fence("octile::cuda::solve");
    for (std::size_t k = 0; k < order.size(); ++k) results[order[k]] = solved[k];
  }

  /// Queues a tier's pairs on the execution space's stream.
  void launch(const Tier& tier, std::span<const Pair> pairs, Work work) {
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
      if (workspace_.extent(0) < stride * grid) {
        workspace_ = {};
        workspace_ = decltype(workspace_)(Kokkos::view_alloc(space_, Kokkos::WithoutInitializing, "octile::workspace"),
                                          stride * grid);
      }
      work.workspace = workspace_.data();
    }
    tier.kernel<<<static_cast<unsigned>(grid), tier.threads, bytes, space_.cuda_stream()>>>(
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
  Kokkos::View<float*, MemorySpace> workspace_;
};

}  // namespace octile::cuda
