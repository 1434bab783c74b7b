// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>
#include <octile/cuda/iterate/distributed_steps.cuh>
#include <octile/cuda/iterate/distributed_vertices.cuh>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/products/concepts.cuh>
#include <octile/cuda/start/projected_start.cuh>
#include <octile/pair_system.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::cuda {

/// Solves pair after pair, claimed from a common counter. The product distributes the elements of a pair's vectors over the threads
/// (`DistributedProduct`). `Threads` and `Places` are parameters so that cmake/kernel-report finds them in the kernel's name.
template <class Product, class Set, class EdgeKernel, int Threads = Product::threads, int Places = Product::places>
__global__ void __launch_bounds__(Threads, Product::blocks)
    solve_distributed(const __grid_constant__ Set set, const VertexTable kernel, const EdgeKernel edge_kernel,
                      const __grid_constant__ Work work) {
  using Team = typename DistributedSteps<Product>::Team;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& own = *reinterpret_cast<DistributedHead<Product>*>(memory);
  unsigned char* next = memory + shared_piece(sizeof(DistributedHead<Product>));
  auto* const shares = reinterpret_cast<float2*>(next);
  next += share_bytes<Product>(kernel.count);
  auto* const p = reinterpret_cast<float*>(next);
  unsigned char* const kept = memory + distributed_bytes<Product>(kernel.count);
  float* const x = work.workspace + blockIdx.x * work.vector_count * work.vector_length;
  float* z = x + work.vector_length;
  if constexpr (Product::z_floats > 0) z = p + shared_piece(sizeof(float) * Product::p_floats) / sizeof(float);
  const Team team(own.head.partials);
  PairQueue queue(work, own.head);
  for (int k = queue.next<Team>(); k < work.count; k = queue.next<Team>()) {
    const PairSystem<SetView<Set>, VertexTable> system(SetView<Set>(set), kernel, work.pairs[k]);
    static_assert(DistributedProduct<Product, Set, EdgeKernel, PairSystem<SetView<Set>, VertexTable>>);
    const Product product(set, edge_kernel, system, p, kept);
    own.first.fill(set, system.first_vertex, system.n, product.first_scale * product.second_scale);
    own.second.fill(set, system.second_vertex, system.m, 1);
    if (threadIdx.x == 0) own.unscale = static_cast<float>(1 / (product.first_scale * product.second_scale));
    for (int v = static_cast<int>(threadIdx.x); v < Product::columns; v += Product::threads) {
      own.labels.set(v, v < system.m ? set.vertex_labels(system.second_vertex + v) : 0);
    }
    for (int i = static_cast<int>(threadIdx.x); i < Product::rows; i += Product::threads) {  // as `fill` assigns them
      for (std::uint32_t id = 0; id < kernel.count; ++id) {
        const float2 kappa = kernel.single(id * kernel.count, own.first.label[i]);
        const double inverse = own.first.inverse[i];
        constexpr int pitch = share_pitch<Product>;
        const float2 share{own.first.degrees[i].x * kappa.y, static_cast<float>(inverse * kappa.x)};
        Product::Reader::template set_share<pitch>(shares + id * pitch, i, share);
      }
    }
    Team::barrier();
    const ProjectedStart start(work.starts, work.pairs[k], k);
    DistributedSteps<Product> steps(team, product, start, own, kernel, shares, p, x, z, reinterpret_cast<float*>(kept));
    PairResult result = iterate<float>(steps, work.options);
    // K = q² p×ᵀ x. The starting probabilities overwrite degrees, which are no longer read.
    own.first.start(set, system.first_vertex, system.n);
    own.second.start(set, system.second_vertex, system.m);
    Team::barrier();
    result.value = work.scale * team.sum_all_in_double([&](const DistributedSlot& slot) {
      return own.first.inverse[slot.i] * (own.second.inverse[slot.j] * double(steps.next_x(slot)));
    });
    if (float* const nodewise = work.nodewise_of(k, work.pairs[k]); nodewise != nullptr) {
#pragma unroll 1
      for (int place = 0; place < Places; ++place) {
        const DistributedSlot slot = Product::slot(place);
        if (slot.i >= system.n || slot.j >= system.m) continue;
        nodewise[slot.i * system.m + slot.j] = static_cast<float>(work.scale * double(steps.x(slot)));
      }
    }
    if (threadIdx.x == 0) work.results[k] = result;
    Team::barrier();
  }
}

}  // namespace octile::cuda
