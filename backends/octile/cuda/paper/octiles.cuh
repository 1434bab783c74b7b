// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/products/concepts.cuh>
#include <octile/graphs/octile_set.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace octile::cuda {

/// The paper's products of octiles (section IV.B), and its tiling-blocking product for t = r = 8 (III.C), which is
/// dense × dense with empty octiles kept. Each warp forms blocks (I, I') of y. For a block it goes over all pairs of
/// octiles that contribute. Warps do not wait for each other:
///
///     octiles of row I of G       A0   A1   …        lane l of 32 has y_ii' of the block, i = l/8 and l/8 + 4, i' = l%8,
///     octiles of row I' of G'     B0   B1   …        in registers; A and B are expanded to 64 elements in shared memory
///
/// dense × dense evaluates all 8·8 terms of an output. Where an octile is taken as sparse, a lane walks the bits of its row.
template <class Set, class EdgeKernel, int Threads, bool Staged>
class OctileProduct {
 public:
  using Label = typename Set::edge_label_type;

  static constexpr ProductMemory memory() {
    return {ProductMemory::Form::fixed, shared_piece(sizeof(Tiles)) * (Threads / 32), 0};
  }

  template <class System>
  __device__ OctileProduct(const Set& set, const EdgeKernel& kernel, const OctileChoice& choice, const System& system,
                           unsigned char*& next, float* /*global*/)
      : set_(set),
        kernel_(kernel),
        choice_(choice),
        n_(system.n),
        m_(system.m),
        row_begin_(set.octile_row_begin(system.first_graph)),
        row_begin_second_(set.octile_row_begin(system.second_graph)),
        tiles_(*reinterpret_cast<Tiles*>(next + shared_piece(sizeof(Tiles)) * (threadIdx.x / 32))) {
    next += shared_piece(sizeof(Tiles)) * (Threads / 32);
  }

  __device__ __forceinline__ void apply(const float* p, float* a) const {
    const int rows_second = octile_count(m_);
    const int blocks = octile_count(n_) * rows_second;
    for (int block = static_cast<int>(threadIdx.x) / 32; block < blocks; block += Threads / 32) {
      form(p, a, block / rows_second, block % rows_second);
    }
  }

 private:
  using Held = decltype(std::declval<EdgeKernel>().hold(Label{}, 0.0F));

  /// The two octiles that a warp is multiplying.
  struct Tiles {
    Label labels[octile_area];
    float weights[octile_area];
    Held second[octile_area];
  };

  /// An octile's non-zero elements and its first column, where its block of p begins.
  struct Column {
    OctileMask mask;
    int first;
  };

  __device__ void form(const float* p, float* a, int I, int I2) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float sums[2] = {0, 0};
    for (std::uint32_t k = set_.octile_begin(row_begin_ + I); k < set_.octile_begin(row_begin_ + I + 1); ++k) {
      const OctileHead head = set_.octiles(k);
      __syncwarp();
      stage(head, lane, [&](int bit, const Label& label, float weight) {
        tiles_.labels[bit] = label;
        tiles_.weights[bit] = weight;
      });
      for (std::uint32_t k2 = set_.octile_begin(row_begin_second_ + I2);
           k2 < set_.octile_begin(row_begin_second_ + I2 + 1); ++k2) {
        const OctileHead second = set_.octiles(k2);
        __syncwarp();
        stage(second, lane,
              [&](int bit, const Label& label, float weight) { tiles_.second[bit] = kernel_.hold(label, weight); });
        __syncwarp();
        multiply({head.mask, static_cast<int>(head.column) * octile_size},
                 {second.mask, static_cast<int>(second.column) * octile_size}, lane, p, sums);
      }
    }
    const int k = I2 * octile_size + lane % octile_size;
    for (int half = 0; half < 2; ++half) {
      const int i = I * octile_size + lane / octile_size + half * 4;
      if (i < n_ && k < m_) a[static_cast<std::size_t>(i) * m_ + k] = sums[half];
    }
  }

  /// Calls put(bit, label, weight) for all 64 elements, with weight 0 for missing ones. An octile that is not stored
  /// compactly is read as a whole, whatever its mask.
  template <class Put>
  __device__ __forceinline__ void stage(const OctileHead& head, int lane, const Put& put) const {
#pragma unroll
    for (int bit = lane; bit < octile_area; bit += 32) {
      Label label{};
      float weight = 0;
      const bool compact = choice_.steps.compact;
      if (!compact || ((head.mask >> bit) & 1U) != 0) {
        const std::uint32_t element = head.elements + (compact ? octile_rank(head.mask, bit) : bit);
        weight = set_.octile_weights(element);
        if constexpr (Set::has_edge_labels) label = set_.octile_labels(element);
      }
      put(bit, label, weight);
    }
  }

  __device__ __forceinline__ void multiply(const Column& first, const Column& second, int lane, const float* p,
                                           float (&sums)[2]) const {
    const auto [dense, dense_second] = taken_as_dense(choice_.family, choice_.thresholds, octile_population(first.mask),
                                                      octile_population(second.mask));
    if (dense) {
      dense_second ? add<true, true>(first, second, lane, p, sums) : add<true, false>(first, second, lane, p, sums);
    } else {
      dense_second ? add<false, true>(first, second, lane, p, sums) : add<false, false>(first, second, lane, p, sums);
    }
  }

  /// Calls f(j) for the columns of a row of an octile: for all if Dense, else for those whose bits are set.
  template <bool Dense, class Function>
  __device__ __forceinline__ static void for_columns(OctileMask mask, int row, const Function& f) {
    if constexpr (Dense) {
#pragma unroll
      for (int j = 0; j < octile_size; ++j) f(j);
    } else {
      for (std::uint32_t bits = octile_row(mask, row); bits != 0; bits &= bits - 1) f(octile_lowest(bits));
    }
  }

  template <bool Dense, bool DenseSecond>
  __device__ __forceinline__ void add(const Column& first, const Column& second, int lane, const float* p,
                                      float (&sums)[2]) const {
    const int row_second = lane % octile_size;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = lane / octile_size + half * 4;
      for_columns<Dense>(first.mask, row, [&](int j) {
        const Label label = tiles_.labels[octile_bit(row, j)];
        // A dense octile may reach beyond the matrix. Its weights are 0 there, and the last row of p is read instead.
        const float* x = p + static_cast<std::size_t>(min(first.first + j, n_ - 1)) * m_;
        float inner = 0;
        for_columns<DenseSecond>(second.mask, row_second, [&](int l) {
          inner += kernel_.value(placed_label(kernel_, label), tiles_.second[octile_bit(row_second, l)]) *
                   x[min(second.first + l, m_ - 1)];
        });
        sums[half] += tiles_.weights[octile_bit(row, j)] * inner;
      });
    }
  }

  const Set& set_;
  EdgeKernel kernel_;
  OctileChoice choice_;
  int n_;
  int m_;
  std::uint32_t row_begin_;
  std::uint32_t row_begin_second_;
  Tiles& tiles_;
};

template <class Set, class EdgeKernel, int Threads, bool Staged>
struct ProductOf<Product::octiles, Set, EdgeKernel, Threads, Staged> {
  using type = OctileProduct<Set, EdgeKernel, Threads, Staged>;
};

}  // namespace octile::cuda
