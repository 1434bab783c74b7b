// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/distributed_vectors.cuh>
#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/plan/tier.hpp>

#include <concepts>
#include <cstddef>

// What native products must provide. Each kernel checks its product against one of these. `System` is a `PairSystem` over the set.
namespace octile::cuda {

/// What an edge kernel's `value` takes for the label of a walked edge.
template <class EdgeKernel, class Label>
__device__ __forceinline__ Label placed_label(const EdgeKernel& kernel, const Label& label) {
  if constexpr (requires { kernel.placed(label); }) {
    return kernel.placed(label);
  } else {
    return label;
  }
}

/// A product for `solve_pairs`, formed by a block of threads. The solve decides where vectors lie; their elements are contiguous.
template <class P, class Set, class EdgeKernel, class System>
concept BlockProduct =
    // The whole block constructs it for each pair, from (set, kernel, choice, system, next, global). It stages its data
    // in shared memory at `next`, which it advances, or in `global`.
    std::constructible_from<P, const Set&, const EdgeKernel&, const OctileChoice&, const System&, unsigned char*&,
                            float*> && requires(const P& product, const float* p, float* a) {
  // The shared memory that the product takes, for the host.
  { P::memory() } -> std::same_as<ProductMemory>;
  // a ← N p, without a barrier before or after.
  { product.apply(p, a) } -> std::same_as<void>;
};

/// A product for `solve_distributed`. It decides how the elements of a pair's vectors are distributed over the threads
/// of a block, and where the vectors lie.
template <class P, class Set, class EdgeKernel, class System>
concept DistributedProduct =
    // The whole block constructs it for each pair, from (set, kernel, system, p, kept). It stages its data at `kept`,
    // and may use the memory of p as scratch. The caller adds a barrier of the block.
    std::constructible_from<P, const Set&, const EdgeKernel&, const System&, float*, unsigned char*> &&
    requires(const P& product, const typename P::Direction& p, typename P::Result& y, float slack, int place) {
  // Threads of a block, the least number of blocks on a multiprocessor, and elements of a thread.
  { P::threads } -> std::convertible_to<int>;
  { P::blocks } -> std::convertible_to<int>;
  { P::places } -> std::convertible_to<int>;
  // The most vertices of G, and of G'.
  { P::rows } -> std::convertible_to<std::size_t>;
  { P::columns } -> std::convertible_to<std::size_t>;
  // The element number `place` of the calling thread.
  { P::slot(place) } -> std::same_as<DistributedSlot>;
  // The types that store p, x and z, and the floats that p and z take in shared memory (0 for z if it lies elsewhere).
  typename P::Direction;
  { P::p_floats } -> std::convertible_to<std::size_t>;
  typename P::Solution;
  typename P::Residual;
  { P::z_floats } -> std::convertible_to<std::size_t>;
  // Whether what the iteration has seen is kept in bools (`SeenApart`), or as bits in shared memory (`SeenByWarp`).
  { P::sees_apart } -> std::convertible_to<bool>;
  // The type of the product's copy of the vertex ids of G', and the type that reads vertices for its threads:
  // `NoKeptLabels`, `QuadReader` or types of its own.
  typename P::Labels;
  typename P::Reader;
  // The further shared memory that the product takes, for the host.
  { P::memory() } -> std::same_as<ProductMemory>;
  // The factors of G and of G' that `apply` leaves out of N p.
  { product.first_scale } -> std::convertible_to<double>;
  { product.second_scale } -> std::convertible_to<double>;
  // y ← N p by the whole block, as exact as `slack` demands (see `iterate`), in the scale in which p is stored.
  // `Result` holds the thread's elements. Without a barrier before or after.
  { product.apply(p, y, slack) } -> std::same_as<void>;
  // Whether starts from projected systems pay, which is where iterations are many or expensive.
  { P::starts } -> std::convertible_to<bool>;
} &&(!P::starts || requires(int i, int j) {
  // Products with starts also give the position in p of an element of an even column. The next column is adjacent.
  { P::element(i, j) } -> std::same_as<int>;
  // With a start an error of K is estimated as if there were this part of the equations: r is not orthogonal to what the start has solved, so that errors
  // of rows cancel less, the denser the graphs the less. Measured on random graphs (docs/notebook/2026-11.md).
  { P::counted_with_start } -> std::convertible_to<double>;
});

/// The `BlockProduct` of a kind, as `type`; the header of each product specializes it.
template <Product Kind, class Set, class EdgeKernel, int Threads, bool Staged>
struct ProductOf;
template <Product Kind, class Set, class EdgeKernel, int Threads, bool Staged>
using Xmv = typename ProductOf<Kind, Set, EdgeKernel, Threads, Staged>::type;

}  // namespace octile::cuda
