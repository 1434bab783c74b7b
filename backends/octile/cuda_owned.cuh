// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/conjugate_gradient.hpp>
#include <octile/cuda_product.cuh>
#include <octile/cuda_solve.cuh>
#include <octile/cuda_team.cuh>
#include <octile/pair_system.hpp>
#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

// Solves whose product says which thread has which elements of a pair's vectors. Such a product is a class with
//
//     threads, places      of a block, and elements of a thread
//     rows, columns        vertices that G and G' may have
//     slot<Place>()        the element that a thread has at a place
//     Result               where it leaves a thread's elements of N p
//     bytes                shared memory that it takes: for N p, or for what it keeps itself
//     apply(p, y, slack)   y ← N p by the block (see conjugate_gradient.hpp)
//
namespace octile::cuda {

/// An element of a pair's vectors, as its thread knows it: i and i', and where it is in p.
struct OwnSlot {
  int place;
  int i;
  int j;
  int element;
};

/// A thread's elements by the product's dealing. What lies beyond the pair is a filling, 0 in all vectors.
template <class Product>
struct OwnElements {
  static constexpr int threads = Product::threads;

  template <class Function>
  __device__ __forceinline__ static void each(int, const Function& function) {
    all(function, std::make_integer_sequence<int, Product::places>());
  }
  template <class Function>
  __device__ __forceinline__ static void in_turn(int count, const Function& function) {
    each(count, function);
  }

 private:
  template <class Function, int... Places>
  __device__ __forceinline__ static void all(const Function& function, std::integer_sequence<int, Places...>) {
    (function(Product::template slot<Places>()), ...);
  }
};

/// What the diagonal takes of one graph, in shared memory; a filling has degree 0 in double and 1 in float.
template <int Count>
struct OwnSide {
  double degree[Count];
  float rounded[Count];
  float inverse[Count];
  std::uint32_t label[Count];

  template <class Set>
  __device__ void fill(const Set& set, std::uint32_t first_vertex, int count, std::uint32_t stride) {
    for (int v = static_cast<int>(threadIdx.x); v < Count; v += static_cast<int>(blockDim.x)) {
      const bool real = v < count;
      degree[v] = real ? set.degrees(first_vertex + v) : 0.0;
      rounded[v] = real ? static_cast<float>(degree[v]) : 1.0F;
      inverse[v] = real ? static_cast<float>(1.0 / degree[v]) : 1.0F;
      label[v] = real ? set.vertex_labels(first_vertex + v) * stride : 0;
    }
  }
};

/// M = D× V×⁻¹, formed where it is needed: 18 numbers of a thread's less to keep.
template <class Product>
struct OwnDiagonal {
  const OwnSide<Product::rows>& first;
  const OwnSide<Product::columns>& second;
  VertexTable kernel;

  __device__ __forceinline__ DiagonalElement operator[](const OwnSlot& slot) const {
    const float2 kappa = kernel.single(first.label[slot.i], second.label[slot.j]);
    return {first.rounded[slot.i] * second.rounded[slot.j] * kappa.y,
            first.inverse[slot.i] * second.inverse[slot.j] * kappa.x};
  }
  __device__ __forceinline__ double in_double(const OwnSlot& slot) const {
    return first.degree[slot.i] * second.degree[slot.j] *
           kernel.reciprocal_at(first.label[slot.i], second.label[slot.j]);
  }
};

/// The beginning of a block's shared memory.
template <class Product>
struct OwnHead {
  SharedHead head;
  OwnSide<Product::rows> first;
  OwnSide<Product::columns> second;
};

/// Shared memory of a block: what stands above │ what the product keeps │ p
template <class Product>
constexpr std::size_t own_bytes() {
  return shared_piece(sizeof(OwnHead<Product>)) + Product::bytes +
         shared_piece(sizeof(float) * Product::rows * Product::pitch);
}

/// The whole CG of pair after pair, claimed from a common counter. r stays in registers, p in shared memory, and x, which
/// nobody waits for, in global memory.
template <class Product, class Set, class EdgeKernel>
__global__ void __launch_bounds__(Product::threads, Product::blocks)
    solve_owned(const __grid_constant__ Set set, const VertexTable vertex_kernel, const EdgeKernel,
                const __grid_constant__ Work work) {
  using Team = BlockTeam<OwnElements<Product>>;
  constexpr bool in_registers = !std::is_same_v<typename Product::Result, InMemory>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& own = *reinterpret_cast<OwnHead<Product>*>(memory);
  const Team team(own.head.partials);
  PairQueue queue(work, own.head);
  for (int k = queue.next<Team>(); k < work.count; k = queue.next<Team>()) {
    const PairSystem<SetView<Set>, VertexTable> system(SetView<Set>(set), vertex_kernel, work.pairs[k]);
    own.first.fill(set, system.first_vertex, system.n, vertex_kernel.count);
    own.second.fill(set, system.second_vertex, system.m, 1);
    auto* const kept = reinterpret_cast<float*>(memory + shared_piece(sizeof(OwnHead<Product>)));
    const Product product(set, system, kept);
    Team::barrier();
    const OwnDiagonal<Product> diagonal{own.first, own.second, vertex_kernel};
    CgVectors<float, Registers<Product::places>, InMemory, OwnDiagonal<Product>, OwnInMemory<Product::threads>,
              typename Product::Result>
        vectors{diagonal,
                {work.workspace + blockIdx.x * work.vector_count * work.vector_length},
                {},
                {kept + Product::bytes / sizeof(float)},
                {}};
    if constexpr (!in_registers) vectors.a.values = kept;
    const auto apply = [&](double slack) { product.apply(vectors.p.values, vectors.a, slack); };
    const auto right_hand_side = [&](const OwnSlot& slot) {
      return own.first.degree[slot.i] * own.second.degree[slot.j];
    };
    PairResult result = conjugate_gradient(
        team, apply, [&](const OwnSlot& slot) { return diagonal.in_double(slot); }, right_hand_side, 0, vectors,
        work.options);
    // K = q² p×ᵀ x
    const bool wanted = k == 0 && work.nodewise != nullptr;
    result.value = work.scale * team.sum_in_double(0, [&](const OwnSlot& slot) {
      if (slot.i >= system.n || slot.j >= system.m) return 0.0;
      const auto x = static_cast<double>(vectors.x[slot]);
      if (wanted) work.nodewise[slot.i * system.m + slot.j] = static_cast<float>(work.scale * x);
      return system.starting(slot.i, slot.j) * x;
    });
    if (threadIdx.x == 0) work.results[k] = result;
    Team::barrier();
  }
}

}  // namespace octile::cuda
