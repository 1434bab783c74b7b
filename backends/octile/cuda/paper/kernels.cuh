// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/iterate/kernel_lists.cuh>
#include <octile/cuda/paper/octile_arrays.hpp>
#include <octile/cuda/paper/octiles.cuh>
#include <octile/cuda/plan/tiers.hpp>

#include <type_traits>

namespace octile::cuda {

/// The kernels of the products of octiles: a block a pair, or a warp a pair.
template <class Set, class VertexKernel, class EdgeKernel, bool Block>
struct OctileKernels {
  template <int Threads, int K, VectorPlace Where = VectorPlace::registers>
  using Shape = PairKernel<Product::octiles, Set, VertexKernel, EdgeKernel, Threads, K, Where>;
  using List = std::conditional_t<Block, KernelList<Shape<64, 16>, Shape<512, 18>, Shape<1024, 0, VectorPlace::global>>,
                                  KernelList<Shape<32, 16>, Shape<32, 0, VectorPlace::global>>>;
  static constexpr auto tiers = octile_tiers<Block>(OctileProduct<Set, EdgeKernel, 32, true>::memory().fixed);
};

}  // namespace octile::cuda
