// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/allocation.hpp>
#include <octile/base/array.hpp>
#include <octile/base/in_library.hpp>
#include <octile/base/launch.hpp>
#include <octile/cuda/batches/solver.hpp>
#include <octile/placed_reciprocals.hpp>
#include <octile/portable/corrections.hpp>
#include <octile/portable/iterate/solve.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <octile/cuda/batches/launcher.cuh>
#endif

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// The native kernels for graphs in Views, where there are any for the execution space.
namespace octile::detail {

/// Makes results and counters ready for the solves of a chunk of pairs.
template <class MemorySpace>
struct BeginNative {
  Array<PairResult, MemorySpace> found;
  Array<std::size_t, MemorySpace> begins;
  Array<int, MemorySpace> next;
  Array<double, MemorySpace> residual_scales;  ///< empty in float
  PairResult* results;
  std::size_t stride;
  bool first;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    found(k) = PairResult();
    begins(k) = k * stride;
    if (first) {
      results[k] = PairResult();
      if (residual_scales.extent(0) > 0) residual_scales(k) = 0;
    }
    if (k == 0) {
      for (std::size_t c = 0; c < next.extent(0); ++c) next(c) = 0;
    }
  }
};

/// Takes the results of a chunk of pairs that float was asked for. What rounding stopped is left to others, whose sums are in double.
struct TakeFloat {
  const PairResult* found;
  PairResult* results;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    PairResult result = found[k];
    if (result.status == Status::stagnated || !(result.value >= least_value)) result.status = Status::breakdown;
    results[k] = result;
  }
};

/// Queues solves in float by native kernels: of `asked`, with 1/κv of each pair where its solution would begin.
template <class Launch>
concept LaunchesNatively = std::invocable<const Launch&, const cuda::BatchWork&, const double*>;

/// Solves pairs of a batch by native kernels (`cuda::BatchSolver`), as far as these take them: in float, or in double by solves in float
/// that are corrected. A pair that they do not take or do not bring to the tolerance stays a `breakdown`, and is left to others.
/// Memory is kept from solve to solve, and grows only.
template <class ExecutionSpace, class Scalar>
class NativeBatches {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  static constexpr bool corrects = std::is_same_v<Scalar, double>;

  /// Takes memory for so many pairs of graphs of this capacity. Solutions and 1/κv of those that are solved at a time take at most
  /// `memory` bytes, 1/κv `most_reciprocals`, or what one pair takes.
  /// `shapes` are those of the native kernels, which solve pairs of up to `most_elements` elements.
  void reserve(const ExecutionSpace& space, const Capacity& capacity, std::size_t pairs, std::size_t memory,
               bool solutions, int shapes, std::size_t most_elements);

  /// What one solve is of: the set with degrees, starting probabilities and q, pairs and results, the base kernels, and who gets the
  /// solutions, if `takes`.
  template <class Prepared, class VertexKernel, class Exact, class Taker>
  struct Asked {
    const Prepared& prepared;
    const typename Prepared::Set& graphs;
    Kokkos::View<const Pair*, MemorySpace> pairs;
    Kokkos::View<PairResult*, MemorySpace> results;
    VertexKernel vertex_kernel;
    Exact exact;
    cuda::WeightScale<MemorySpace> weight_scale;
    SolveOptions options;
    Taker taker;
    bool takes;
  };

  /// Queues the solves of all pairs.
  template <class Prepared, class VertexKernel, class Exact, class Taker, LaunchesNatively Launch>
  void solve(const ExecutionSpace& space, const Asked<Prepared, VertexKernel, Exact, Taker>& asked,
             const Launch& launch) {
    for (std::size_t begin = 0; begin < asked.pairs.extent(0); begin += chunk_) {
      const Chunk chunk{begin, std::min(chunk_, asked.pairs.extent(0) - begin), asked.pairs.data() + begin,
                        asked.results.data() + begin};
      form_reciprocals(space, asked.graphs, asked.vertex_kernel, chunk.pairs, chunk.count,
                       {reciprocals_.data(), stride_});
      if constexpr (corrects) {
        solve_in_double(space, asked, chunk, launch);
      } else {
        solve_in_float(space, asked, chunk, launch);
      }
    }
  }

 private:
  /// Bytes of an element of x, of what a solve finds, and of a residual.
  static constexpr std::size_t bytes_of_solutions = corrects ? 2 * sizeof(double) + sizeof(float) : sizeof(double);
  /// Bytes of 1/κv: beyond, pairs are many enough for a device.
  static constexpr std::size_t most_reciprocals = std::size_t(1) << 29;
  /// What a solve in float reaches in any case.
  static constexpr double float_tolerance = 1e-5;
  static constexpr int correcting_team = 256;

  struct Chunk {
    std::size_t begin;
    std::size_t count;
    const Pair* pairs;
    PairResult* results;
  };

  void begin(const ExecutionSpace& space, const Chunk& chunk, bool first) const;
  void take_float(const ExecutionSpace& space, const Chunk& chunk) const;
  /// What a launch solves; `residuals`: for the residuals that were left.
  cuda::BatchWork work_of(const Chunk& chunk, const SolveOptions& options, bool solutions, bool residuals) const {
    return {chunk.pairs,
            found_.data(),
            static_cast<int>(chunk.count),
            next_.data(),
            residuals ? chunk.results : nullptr,
            solutions ? found_solutions_.data() : nullptr,
            begins_.data(),
            residuals ? residuals_.data() : nullptr,
            residuals ? residual_scales_.data() : nullptr,
            options};
  }

  template <class Prepared, class VertexKernel, class Exact, class Taker, class Launch>
  void solve_in_float(const ExecutionSpace& space, const Asked<Prepared, VertexKernel, Exact, Taker>& asked,
                      const Chunk& chunk, const Launch& launch) {
    begin(space, chunk, true);
    launch(work_of(chunk, asked.options, asked.takes, false), reciprocals_.data());
    take_float(space, chunk);
    if (!asked.takes) return;
    using Set = typename Prepared::Set;
    Kokkos::parallel_for(
        "octile::take_solutions", by_pair(space, chunk),
        portable::TakeSolutions<Set, Taker>{asked.graphs, chunk.pairs, chunk.results, found_solutions_.data(), stride_,
                                            static_cast<int>(chunk.begin), asked.taker});
  }

  template <class Prepared, class VertexKernel, class Exact, class Taker, class Launch>
  void solve_in_double(const ExecutionSpace& space, const Asked<Prepared, VertexKernel, Exact, Taker>& asked,
                       const Chunk& chunk, const Launch& launch) {
    // Each pass takes the residual down by as much; one more is for pairs that missed the tolerance by little.
    const double goal = std::max(0.5 * asked.options.tolerance, 1e-15);
    const int passes = std::max(static_cast<int>(std::ceil(std::log(goal) / std::log(float_tolerance))), 1);
    SolveOptions rough = asked.options;
    rough.tolerance = std::pow(goal, 1.0 / passes);
    for (int pass = 0; pass <= passes; ++pass) {
      const bool first = pass == 0;
      begin(space, chunk, first);
      launch(work_of(chunk, rough, true, !first), reciprocals_.data());
      Kokkos::parallel_for("octile::correct", by_pair(space, chunk),
                           portable::CorrectSolutions<typename Prepared::Set, typename Prepared::Rows, Exact,
                                                      cuda::WeightScale<MemorySpace>, Taker>{
                               asked.graphs,
                               asked.prepared.rows(),
                               reciprocals_.data(),
                               asked.exact,
                               asked.weight_scale,
                               chunk.pairs,
                               found_.data(),
                               chunk.results,
                               solutions_.data(),
                               found_solutions_.data(),
                               stride_,
                               {residuals_.data(), residual_scales_.data()},
                               first,
                               static_cast<int>(chunk.begin),
                               asked.options,
                               asked.taker});
    }
  }

  static auto by_pair(const ExecutionSpace& space, const Chunk& chunk) {
    const int threads = portable::fine_grained<ExecutionSpace> ? correcting_team : 1;
    return without_waiting(Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(chunk.count), threads));
  }

  std::size_t stride_ = 0;  ///< elements of the largest pair that is solved
  std::size_t chunk_ = 0;   ///< pairs that are solved at a time
  Array<PairResult, MemorySpace> found_;
  Array<std::size_t, MemorySpace> begins_;
  Array<int, MemorySpace> next_;
  Array<double, MemorySpace> reciprocals_;  ///< 1/κv of each pair
  Array<double, MemorySpace> found_solutions_;
  Array<double, MemorySpace> solutions_;
  Array<float, MemorySpace> residuals_;
  Array<double, MemorySpace> residual_scales_;
};

template <class ExecutionSpace, class Scalar>
void NativeBatches<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& space, const Capacity& capacity,
                                                    std::size_t pairs, std::size_t memory, bool solutions, int shapes,
                                                    std::size_t most_elements) {
  NativeBatches grown = *this;
  grown.stride_ = std::min(capacity.vertices_of_largest * capacity.vertices_of_largest, most_elements);
  const bool kept = corrects || solutions;
  const std::size_t of_one = std::max<std::size_t>(grown.stride_, 1);
  const std::size_t fit = std::min(memory / (of_one * (sizeof(double) + (kept ? bytes_of_solutions : 0))),
                                   most_reciprocals / (of_one * sizeof(double)));
  grown.chunk_ = std::max<std::size_t>(std::min(pairs, fit), 1);
  const std::size_t length = grown.chunk_ * grown.stride_;
  grow(space, grown.found_, "native_results", grown.chunk_);
  grow(space, grown.begins_, "solution_begin", grown.chunk_);
  grow(space, grown.next_, "next_pairs", static_cast<std::size_t>(shapes));
  grow(space, grown.reciprocals_, "pair_reciprocals", length);
  if (kept) grow(space, grown.found_solutions_, "found_solutions", length);
  if (corrects) {
    grow(space, grown.solutions_, "solutions", length);
    grow(space, grown.residuals_, "residuals", length);
    grow(space, grown.residual_scales_, "residual_scales", grown.chunk_);
  }
  *this = grown;
}

template <class ExecutionSpace, class Scalar>
void NativeBatches<ExecutionSpace, Scalar>::begin(const ExecutionSpace& space, const Chunk& chunk, bool first) const {
  Kokkos::parallel_for(
      "octile::begin_native", without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, chunk.count)),
      BeginNative<MemorySpace>{found_, begins_, next_, residual_scales_, chunk.results, stride_, first});
}

template <class ExecutionSpace, class Scalar>
void NativeBatches<ExecutionSpace, Scalar>::take_float(const ExecutionSpace& space, const Chunk& chunk) const {
  Kokkos::parallel_for("octile::take_native",
                       without_waiting(Kokkos::RangePolicy<ExecutionSpace>(space, 0, chunk.count)),
                       TakeFloat{found_.data(), chunk.results});
}

#ifdef KOKKOS_ENABLE_CUDA
OCTILE_IN_LIBRARY template class NativeBatches<Kokkos::Cuda, double>;
OCTILE_IN_LIBRARY template class NativeBatches<Kokkos::Cuda, float>;
#endif

}  // namespace octile::detail
