// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/shared_head.cuh>
#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/two.cuh>
#include <octile/cuda/block/vertex_table.cuh>
#include <octile/cuda/iterate/both_steps.cuh>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/iterate/work.cuh>
#include <octile/cuda/products/slices.cuh>
#include <octile/on_device/trials.hpp>
#include <octile/pairs/system.hpp>

#include <cstddef>
#include <type_traits>

namespace octile::cuda {

/// The launch bound of `solve_both`, whose vectors take up to 5 K registers of a thread.
template <int Threads, int K>
inline constexpr int blocks_of_both = Threads >= 512 ? 1
                                                     : 65536 / Threads /
                                                           (K <= 8    ? 80
                                                            : K <= 12 ? 102
                                                                      : 128);

/// Solves both systems of pair after pair by slices, side by side (`iterate_both`), and leaves their trials. Shared memory is laid out as that
/// of `solve_pairs`, with two numbers at each place of p and of N p.
template <class Set, class VertexKernel, class EdgeKernel, int Threads, int K>
__global__ void __launch_bounds__(Threads, blocks_of_both<Threads, K>)
    solve_both(const __grid_constant__ Set set, const VertexKernel vertex_kernel, const EdgeKernel edge_kernel,
               const __grid_constant__ Work work) {
  using Team = BlockTeam<InTurns<Threads, K>>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& head = *reinterpret_cast<SharedHead*>(memory);
  const Team team(head.partials);
  PairQueue queue(work, head);
  for (int k = queue.next<Team>(); k < work.count; k = queue.next<Team>()) {
    const Pair pair = work.pairs[k];
    unsigned char* next = memory + shared_piece(sizeof(SharedHead));
    constexpr bool near = stages_vertices(VectorPlace::registers, Threads);
    const auto& kernel = kernel_of_pair(head, vertex_kernel);
    using Kernel = std::remove_cvref_t<decltype(kernel)>;
    const PairSystem system(view_of_pair<near>(set, pair, next), kernel, pair);
    if (threadIdx.x == 0) note_kernel(head, vertex_kernel, work.nodewise_begin, k, system.m);
    const int m = system.m;
    if constexpr (near) next += StagedVertices<Set>::bytes(system.n, m);
    const int size = system.n * m;
    constexpr int length = Threads * K;
    const Divisor row_of(system.n, m);
    const PairSystem<SetView<Set>, Kernel> stored(SetView<Set>(set), kernel, pair);
    const SliceXmv<Set, EdgeKernel, Threads, true, false, Two> xmv(set, edge_kernel, work.choice, stored, next,
                                                                   nullptr);
    Team::barrier();  // the vertices, where they are copied, are in shared memory
    Two* const p = reinterpret_cast<Two*>(next);
    Two* const a = p + length;
    const auto apply = [&] {
      xmv.apply(p, a);
      Team::barrier();
    };
    const auto row_of_both = [&, table = for_a_pass(kernel)](const Slot& slot) {
      if (slot.element >= size) return RowOfBoth{1.0, {0, 0}};
      const int i = row_of(slot.element);
      const int j = slot.element - i * m;
      const double degrees = system.right_hand_side(i, j);
      return RowOfBoth{degrees * system.reciprocal_by(table, i, j),
                       {static_cast<float>(degrees), static_cast<float>(system.starting(i, j))}};
    };
    auto* const trials = reinterpret_cast<TrialValues<float>*>(work.trials.singles) + work.nodewise_begin[k];
    using Solutions = typename PlaceOfSolutions<K, 65536 / Threads / blocks_of_both<Threads, K>>::type;
    BothSteps<Team, K, Solutions, decltype(apply), decltype(row_of_both)> steps(team, apply, row_of_both, length, p, a,
                                                                                {trials, size});
    const BothResults found = iterate_both(steps, work.options, work.farther);
    Team::each(length, [&](const Slot& slot) {
      if (slot.element >= size) return;
      const Two both = steps.solution(slot);
      trials[slot.element] = {both.x > 0 ? both.x : 0.0F, both.y > 0 ? both.y : 0.0F};
    });
    if (threadIdx.x == 0) {
      work.trials.scales[2 * static_cast<std::size_t>(k)] = work.scale;
      work.trials.scales[2 * static_cast<std::size_t>(k) + 1] = Work::scale_of_y(set, pair);
      work.results[k] = found.x;
      work.adjoint_results[k] = found.y;
    }
    Team::barrier();
  }
}

}  // namespace octile::cuda
