// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/kernel_lists.cuh>
#include <octile/cuda/plan/tiers.hpp>
#include <octile/cuda/products/dense.cuh>
#include <octile/cuda/products/dense_sum.cuh>
#include <octile/cuda/products/distributed_slices.cuh>
#include <octile/cuda/products/factored.cuh>
#include <octile/cuda/products/slices.cuh>
#include <octile/cuda/products/strips.cuh>
#include <octile/cuda/typed/edge_kernels.cuh>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

// A kernel for each tier of plan/tiers.hpp, in the same order. Static assertions compare the shape that the plan gives
// a tier with the shape of its kernel (iterate/kernel_lists.cuh).
namespace octile::cuda {

/// How many vectors T the factored product for pairs of any size keeps; 0 for other edge kernels.
template <class EdgeKernel>
constexpr std::size_t factors_at_once() {
  if constexpr (requires { EdgeKernel::chunk; }) {
    return EdgeKernel::chunk;
  } else {
    return 0;
  }
}

template <class Set, class VertexKernel, class EdgeKernel>
struct SliceKernels {
  template <int Threads, int K, VectorPlace Where = VectorPlace::registers>
  using Shape = PairKernel<Product::slices, Set, VertexKernel, EdgeKernel, Threads, K, Where>;
  template <class Walked>
  using Distributed = DistributedKernel<SliceProduct<Set, Walked, 8, 12, 3>, Set, VertexKernel, EdgeKernel>;
  using First = KernelList<Shape<32, 8>, Shape<32, 12>, Shape<32, 16>, Shape<64, 12>, Shape<64, 16>, Shape<128, 12>,
                           Shape<128, 16>, Shape<256, 12>, Shape<256, 16>, Shape<512, 12>, Shape<1024, 9>>;
  template <class Kernels>
  using AndLast = typename Kernels::template Then<Shape<512, 18>, Shape<1024, 0, VectorPlace::shared>,
                                                  Shape<1024, 0, VectorPlace::global>>;

  static constexpr auto largest() {
    if (!std::is_same_v<VertexKernel, VertexTable>) return LargestSlices::in_registers;
    return std::is_same_v<EdgeKernel, FastSquareExponential> ? LargestSlices::distributed_near
                                                             : LargestSlices::distributed;
  }
  static auto list() {
    if constexpr (largest() == LargestSlices::in_registers) {
      return AndLast<First>();
    } else if constexpr (largest() == LargestSlices::distributed) {
      return AndLast<typename First::template Then<Distributed<EdgeKernel>>>();
    } else {
      return AndLast<typename First::template Then<Distributed<NearSquareExponential>, Distributed<EdgeKernel>>>();
    }
  }
  static constexpr std::size_t split_element_bytes() {
    if constexpr (largest() == LargestSlices::in_registers) {
      return 0;
    } else {
      return SplitOperands<typename Set::edge_label_type>::an_entry;
    }
  }

  using List = decltype(list());
  static constexpr auto tiers =
      slice_tiers<largest()>(SliceXmv<Set, EdgeKernel, 32, true>::memory(), split_element_bytes());
};

/// The kernels of the products of octiles, of the paper's experiment: who includes paper/kernels.cuh has them.
template <class Set, class VertexKernel, class EdgeKernel, bool Block>
struct OctileKernels;

template <class Set, class VertexKernel, class EdgeKernel>
struct FactoredKernels {
  template <VectorPlace Where>
  using Shape = PairKernel<Product::factored, Set, VertexKernel, EdgeKernel, 1024, 0, Where>;
  template <class Product>
  using Distributed = DistributedKernel<Product, Set, VertexKernel, EdgeKernel>;
  template <int Warps, int Columns>
  using Strips = Distributed<StripProduct<Warps, Columns, EdgeKernel::constant_weights>>;
  template <int Tiles>
  using Dense = Distributed<DenseProduct<Tiles>>;
  template <int Tiles>
  using DenseSum = Distributed<DenseSumProduct<Tiles, Set>>;
  template <class... Kernels>
  using AndLast = KernelList<Kernels..., Shape<VectorPlace::shared>, Shape<VectorPlace::global>>;

  static auto list() {
    if constexpr (EdgeKernel::chunk > 1) {
      return AndLast<DenseSum<2>, DenseSum<4>, DenseSum<6>>();
    } else if constexpr (EdgeKernel::constant_weights) {
      return AndLast<Strips<4, 1>, Dense<3>, Dense<4>, Dense<5>, Dense<6>, Strips<8, 2>, Strips<8, 3>, Strips<16, 4>>();
    } else {
      return AndLast<Strips<4, 1>, Strips<8, 2>, Strips<8, 3>, Strips<16, 4>>();
    }
  }

  using List = decltype(list());
  static constexpr auto tiers = factored_tiers<EdgeKernel::chunk, EdgeKernel::constant_weights>();
};

/// The tiers of a product, and the kernel of each.
template <class Set, class VertexKernel, class EdgeKernel>
struct KernelTable {
  std::span<const Tier> tiers;
  std::span<const KernelFunction<Set, VertexKernel, EdgeKernel>> functions;
  std::span<const KernelFunction<Set, VertexKernel, EdgeKernel>> of_both;  ///< null where there is none
};

/// The kernels of a product. `steps` is read by the products of octiles only.
template <Product Kind, class Set, class VertexKernel, class EdgeKernel>
KernelTable<Set, VertexKernel, EdgeKernel> kernels_of(const TileSteps& steps) {
  const auto table = []<class Kernels>(std::type_identity<Kernels>) -> KernelTable<Set, VertexKernel, EdgeKernel> {
    static_assert(Kernels::List::match(Kernels::tiers), "a kernel for each tier, of the shape that the plan says");
    static const auto functions = Kernels::List::functions();
    static const auto of_both = Kernels::List::functions_of_both();
    return {Kernels::tiers, functions, of_both};
  };
  if constexpr (Kind == Product::slices) {
    return table(std::type_identity<SliceKernels<Set, VertexKernel, EdgeKernel>>());
  } else if constexpr (Kind == Product::factored) {
    return table(std::type_identity<FactoredKernels<Set, VertexKernel, EdgeKernel>>());
  } else {
    return steps.block ? table(std::type_identity<OctileKernels<Set, VertexKernel, EdgeKernel, true>>())
                       : table(std::type_identity<OctileKernels<Set, VertexKernel, EdgeKernel, false>>());
  }
}

}  // namespace octile::cuda
