// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/cuda/block/distributed_vertices.cuh>
#include <octile/cuda/iterate/distributed_steps.cuh>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/products/concepts.cuh>
#include <octile/cuda/start/projected_start.cuh>
#include <octile/pairs/conjugate_gradient.hpp>
#include <octile/pairs/system.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// How many of a thread's places a pass takes at a time whose code is not to be long: a divisor of their number.
template <int Places>
inline constexpr int places_at_once = Places % 16 == 0   ? 16
                                      : Places % 12 == 0 ? 12
                                      : Places % 8 == 0  ? 8
                                      : Places % 4 == 0  ? 4
                                                         : 2;

/// Solves pair after pair, claimed from a common counter. The product distributes the elements of a pair's vectors over the threads
/// (`DistributedProduct`). `Threads` and `Places` are parameters so that cmake/kernel-report finds them in the kernel's name.
template <class Product, class Set, class EdgeKernel, int Threads = Product::threads, int Places = Product::places>
__global__ void __launch_bounds__(Threads, Product::blocks)
    solve_distributed(const __grid_constant__ Set set, const VertexTable kernel, const EdgeKernel edge_kernel,
                      const __grid_constant__ Work work) {
  using Team = BlockTeam<DistributedElements<Product>>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& head = *reinterpret_cast<DistributedHead<Product>*>(memory);
  unsigned char* next = memory + shared_piece(sizeof(DistributedHead<Product>));
  auto* const shares = reinterpret_cast<float2*>(next);
  next += share_bytes<Product>(kernel.count);
  auto* const p = reinterpret_cast<float*>(next);
  unsigned char* const kept = memory + distributed_bytes<Product>(kernel.count);
  float* const x = work.workspace + blockIdx.x * work.vector_count * work.vector_length;
  float* z = x + work.vector_length;
  if constexpr (Product::z_floats > 0) z = p + shared_piece(sizeof(float) * Product::p_floats) / sizeof(float);
  const Team team(head.block.partials);
  PairQueue queue(work, head.block);
  for (int k = queue.next<Team>(); k < work.count; k = queue.next<Team>()) {
    const PairSystem<SetView<Set>, VertexTable> system(SetView<Set>(set), kernel, work.pairs[k]);
    static_assert(DistributedProduct<Product, Set, EdgeKernel, PairSystem<SetView<Set>, VertexTable>>);
    const Product product(set, edge_kernel, system, p, kept);
    head.first.fill(set, system.first_vertex, system.n, product.first_scale * product.second_scale);
    head.second.fill(set, system.second_vertex, system.m, 1);
    if (threadIdx.x == 0) {
      head.unscale = static_cast<float>(1 / (product.first_scale * product.second_scale));
      head.volume = static_cast<float>(work.judged_by_volume(set, work.pairs[k], work.right_hand_side));
      head.size = kernel.single(0, 0).x * work.size_beside_kappa(set, work.pairs[k]);
    }
    for (int v = static_cast<int>(threadIdx.x); v < Product::columns; v += Product::threads) {
      head.labels.set(v, v < system.m ? set.vertex_labels(system.second_vertex + v) : 0);
    }
    for (int i = static_cast<int>(threadIdx.x); i < Product::rows; i += Product::threads) {  // as `fill` assigns them
      for (std::uint32_t id = 0; id < kernel.count; ++id) {
        const float2 kappa = kernel.single(id * kernel.count, head.first.label[i]);
        const double inverse = head.first.inverse[i];
        constexpr int pitch = share_pitch<Product>;
        const float2 share{head.first.degrees[i].x * kappa.y, static_cast<float>(inverse * kappa.x)};
        Product::Reader::template set_share<pitch>(shares + id * pitch, i, share);
      }
    }
    Team::barrier();
    const ProjectedStart start(work.starts, work.pairs[k], k);
    const LaunchedSystem asked(work);
    const RightSide right(work, k, system, asked);
    DistributedSteps<Product, decltype(right)> steps(team, product, start, right, head, kernel, shares, p, x, z,
                                                     x + 2 * work.vector_length, reinterpret_cast<float*>(kept));
    double equations = system.size();
    if constexpr (Product::starts) equations *= start.given() ? Product::counted_with_start : 1;
    PairResult result = iterate<float>(steps, work.options, tolerance_of(work.options, work.tolerance(k), equations));
    if (right.stored()) result.residual += unit_roundoff_of<float>;  // b was rounded
    // K = p×ᵀ x or bᵀ y. Its weights overwrite degrees, which are no longer read.
    if (head.volume > 0) result.error_bound = Kokkos::Experimental::infinity_v<double>;
    head.first.weigh(set, system.first_vertex, system.n, work.right_hand_side);
    head.second.weigh(set, system.second_vertex, system.m, work.right_hand_side);
    Team::barrier();
    const KeptSolution solution(work, set, k, asked);
    if (!work.has_trials()) {
      result.value = work.value_scale(set, work.pairs[k]) * team.sum_all_in_double([&](const DistributedSlot& slot) {
        return head.first.inverse[slot.i] * (head.second.inverse[slot.j] * double(steps.next_x(slot)));
      });
    }
    solution.each_way([&](const auto& put) {
      // Some elements at a time, all of which are read before one is written: reading takes long.
      constexpr int at_once = places_at_once<Places>;
#pragma unroll 1
      for (int first = 0; first < Places; first += at_once) {
        float elements[at_once];
#pragma unroll
        for (int c = 0; c < at_once; ++c) elements[c] = steps.next_x(Product::slot(first + c));
#pragma unroll
        for (int c = 0; c < at_once; ++c) {
          const DistributedSlot slot = Product::slot(first + c);
          if (slot.i < system.n && slot.j < system.m) put(slot.i * system.m + slot.j, elements[c]);
        }
      }
    });
    if (threadIdx.x == 0) work.results[k] = result;
    Team::barrier();
  }
}

}  // namespace octile::cuda
