// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/both.cuh>
#include <octile/cuda/iterate/distributed.cuh>
#include <octile/cuda/iterate/solve.cuh>
#include <octile/cuda/plan/tier.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

// Kernels as the plan sees them: each with the shape that follows from its types, which the shape of its tier must equal.
namespace octile::cuda {

template <class Set, class VertexKernel, class EdgeKernel>
using KernelFunction = void (*)(Set, VertexKernel, EdgeKernel, Work);

/// A shape of `solve_pairs`, and of `solve_both` where vectors are in registers.
template <Product Kind, class Set, class VertexKernel, class EdgeKernel, int Threads, int K, VectorPlace Where>
struct PairKernel {
  static constexpr KernelShape shape() {
    const ProductMemory product = Xmv<Kind, Set, EdgeKernel, Threads, true>::memory();
    return Where == VectorPlace::registers ? in_registers(Threads, K, product) : in_memory(Where, Threads, product);
  }
  static KernelFunction<Set, VertexKernel, EdgeKernel> function() {
    return solve_pairs<Kind, Set, VertexKernel, EdgeKernel, Threads, K, Where>;
  }
  /// The kernel that solves both systems of a pair; null if there is none. Nobody asks for both with a κv of a type of
  /// its own.
  static KernelFunction<Set, VertexKernel, EdgeKernel> function_of_both() {
    if constexpr (!std::is_same_v<VertexKernel, VertexTable>) {
      return nullptr;
    } else if constexpr (Where != VectorPlace::registers) {
      return function();
    } else if constexpr (Kind == Product::slices) {
      return solve_both<Set, VertexKernel, EdgeKernel, Threads, K>;
    } else {
      return nullptr;
    }
  }
};

/// A shape of `solve_distributed`.
template <class Product, class Set, class VertexKernel, class EdgeKernel>
struct DistributedKernel {
  static constexpr KernelShape shape() {
    return distributed({Product::threads, Product::places, Product::rows, Product::columns, Product::p_floats,
                        Product::z_floats, sizeof(typename Product::Labels), Product::memory(), Product::starts});
  }
  static constexpr bool matches_its_layout(std::size_t ids) {
    return distributed_bytes<Product>(ids) == shape().solve_bytes + shared_piece(shape().id_bytes * ids);
  }
  static KernelFunction<Set, VertexKernel, EdgeKernel> function() {
    static_assert(std::is_same_v<VertexKernel, VertexTable>);
    static_assert(matches_its_layout(0) && matches_its_layout(1) && matches_its_layout(27));
    return solve_distributed<Product, Set, EdgeKernel>;
  }
  /// A loop over both systems would take registers from those who ask for one: 2 to 10 % of their time.
  static KernelFunction<Set, VertexKernel, EdgeKernel> function_of_both() { return nullptr; }
};

/// The kernels for one type of set, in the order of their tiers.
template <class... Kernels>
struct KernelList {
  template <class... More>
  using Then = KernelList<Kernels..., More...>;

  /// Whether there is one kernel for each tier, and its shape is the tier's.
  template <std::size_t Count>
  static constexpr bool match(const std::array<Tier, Count>& tiers) {
    if constexpr (Count != sizeof...(Kernels)) {
      return false;
    } else {
      const std::array<KernelShape, Count> shapes{Kernels::shape()...};
      return std::equal(tiers.begin(), tiers.end(), shapes.begin(),
                        [](const KernelShape& tier, const KernelShape& kernel) { return tier == kernel; });
    }
  }
  static auto functions() { return std::array{Kernels::function()...}; }
  static auto functions_of_both() { return std::array{Kernels::function_of_both()...}; }
};

}  // namespace octile::cuda
