// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/distributed_vectors.cuh>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/products/product.cuh>

#include <concepts>
#include <cstddef>

// What a native product has to be. Each solve's kernel checks its own. `System` is a `PairSystem` over the set.
namespace octile::cuda {

/// A product for `solve_pairs`, by a block of threads. Vectors lie where the solve has them, element after element.
template <class P, class Set, class EdgeKernel, class System>
concept BlockProduct =
    // Is made for each pair by the whole block, (set, kernel, choice, system, next, global): stages what it keeps in shared memory at
    // `next`, and moves that on, or in `global`.
    std::constructible_from<P, const Set&, const EdgeKernel&, const OctileChoice&, const System&, unsigned char*&,
                            float*> && requires(const P& product, const float* p, float* a) {
  // Shared memory that it takes, on the host.
  { P::memory() } -> std::same_as<ProductMemory>;
  // a ← N p. No barrier before or behind.
  { product.apply(p, a) } -> std::same_as<void>;
};

/// A product for `solve_distributed`, which distributes the elements of a pair's vectors over the threads of its block: it says which thread
/// has which, and where the vectors are.
template <class P, class Set, class EdgeKernel, class System>
concept DistributedProduct =
    // Is made for each pair by the whole block, (set, kernel, system, p, kept): stages what it keeps at `kept`. p may serve as room
    // meanwhile. A barrier of the block follows.
    std::constructible_from<P, const Set&, const EdgeKernel&, const System&, float*, unsigned char*> &&
    requires(const P& product, const typename P::Direction& p, typename P::Result& y, float slack, int place) {
  // Threads of a block, blocks that a multiprocessor is to hold at least, and elements of a thread.
  { P::threads } -> std::convertible_to<int>;
  { P::blocks } -> std::convertible_to<int>;
  { P::places } -> std::convertible_to<int>;
  // Vertices that G and G' may have.
  { P::rows } -> std::convertible_to<std::size_t>;
  { P::columns } -> std::convertible_to<std::size_t>;
  // The element that the calling thread has at a place.
  { P::slot(place) } -> std::same_as<DistributedSlot>;
  // Where p is, in shared memory, and its room; where x and z are, and the room of z in shared memory, or 0.
  typename P::Direction;
  { P::p_floats } -> std::convertible_to<std::size_t>;
  typename P::Solution;
  typename P::Residual;
  { P::z_floats } -> std::convertible_to<std::size_t>;
  // What it keeps of the vertices of G', and how its threads read vertices: `NoKeptLabels`, `VertexReader` or its own.
  typename P::Labels;
  typename P::Reader;
  // Shared memory that it takes beside all that, on the host.
  { P::memory() } -> std::same_as<ProductMemory>;
  // Factors that N p lacks, of G and of G'.
  { product.first_scale } -> std::convertible_to<double>;
  { product.second_scale } -> std::convertible_to<double>;
  // y ← N p by the block, to what `slack` allows (see `iterate`), times what p is kept times; a thread's elements of it are in `Result`.
  // No barrier before or behind.
  { product.apply(p, y, slack) } -> std::same_as<void>;
  // Whether a projected system is worth its while: where iterations are many or dear.
  { P::starts } -> std::convertible_to<bool>;
} &&(!P::starts || requires(int i, int j) {
  // Then where an element is in p, of an even column; the next column is beside it.
  { P::element(i, j) } -> std::same_as<int>;
});

}  // namespace octile::cuda
