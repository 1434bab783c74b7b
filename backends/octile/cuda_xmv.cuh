// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda_set.hpp>

#include <cstdint>

namespace octile::cuda {

/// Where a warp's share of a product begins: a slice of G' and an element of G that begins a row.
struct Place {
  int slice;
  std::uint32_t element;
};

/// The product y_ii' = Σ_jj' A_ij A'_i'j' κe(E_ij, E'_i'j') p_jj' by a block of threads.
///
/// A warp takes a slice of G' into registers and walks elements of G, all lanes in step; a lane has up to 4 edges
/// (i', j') of one vertex i':
///
///     element (i, j) of G ──► every lane:  sum += A_ij Σ_s A'_s κe(E_ij, E'_s) p[j m + j'_s]
///                             at the end of row i:  lanes of one vertex add up, the first writes y_ii'
///
/// Each (i, i') has one owner: no atomics, equal bits from run to run. Slices × rows are cut into as many shares of
/// equal cost as there are warps.
template <class Set, class EdgeKernel, int Threads, bool Staged>
class SliceXmv {
 public:
  using Label = typename Set::edge_label_type;
  using Entry = RowEntry<Label>;

  /// `entries` are the elements of G; where Staged, in shared memory, with column and last multiplied by m.
  __device__ SliceXmv(const Set& set, const EdgeKernel& kernel, const Entry* entries, int first_graph, int second_graph,
                      int n, int m)
      : set_(set), kernel_(kernel), entries_(entries), m_(m) {
    const std::uint32_t vertex = set.vertex_begin(first_graph);
    row_begin_ = &set.row_begin(vertex);
    elements_ = row_begin_[n] - row_begin_[0];
    first_slice_ = static_cast<int>(set.slice_begin(second_graph));
    slices_ = static_cast<int>(set.slice_begin(second_graph + 1)) - first_slice_;
    begin_ = {0, 0};
    end_ = {slices_, 0};
    if constexpr (Threads > 32) share_out(n);
  }

  /// a ← N p. No barrier before or behind.
  __device__ __forceinline__ void apply(const float* p, float* a) const {
    for (int slice = begin_.slice; slice <= end_.slice && slice < slices_; ++slice) {
      const std::uint32_t from = slice == begin_.slice ? begin_.element : 0;
      const std::uint32_t to = slice == end_.slice ? end_.element : elements_;
      if (from >= to) continue;
      const SliceHead head = set_.slices(first_slice_ + slice);
      const Lane lane = set_.lanes((first_slice_ + slice) * slice_lanes + lane_number());
      std::uint32_t slot = head.slots + lane_number();
      for (int left = static_cast<int>(head.slice.slots); left > 0; left -= slots_at_once) {
        const bool again = left < static_cast<int>(head.slice.slots);
        const Walk walk{from, to, slot, static_cast<int>(head.slice.steps), again, lane};
        switch (left) {
          case 1: run<1>(walk, p, a); break;
          case 2: run<2>(walk, p, a); break;
          case 3: run<3>(walk, p, a); break;
          default: run<4>(walk, p, a);
        }
        slot += slots_at_once * slice_lanes;
      }
    }
  }

 private:
  struct Walk {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t slot;
    int steps;
    bool again;  ///< adds to what is there: a further four slots of the slice
    Lane lane;
  };

  __device__ static std::uint32_t lane_number() { return threadIdx.x % 32; }

  template <int Slots>
  __device__ __forceinline__ void run(const Walk& walk, const float* p, float* a) const {
    Label labels[Slots];
    float weights[Slots];
    const float* columns[Slots];
#pragma unroll
    for (int s = 0; s < Slots; ++s) {
      const std::uint32_t slot = walk.slot + static_cast<std::uint32_t>(s) * slice_lanes;
      if constexpr (Set::has_edge_labels) labels[s] = set_.slot_labels(slot);
      weights[s] = set_.slot_weights(slot);
      columns[s] = p + set_.slot_columns(slot);
    }
    float sum = 0;
    for (std::uint32_t e = walk.from; e < walk.to; ++e) {
      const Entry entry = entries_[e];
      const std::uint32_t row = Staged ? entry.column : entry.column * static_cast<std::uint32_t>(m_);
      float inner = 0;
#pragma unroll
      for (int s = 0; s < Slots; ++s) inner += weights[s] * kernel_(entry.label, labels[s]) * columns[s][row];
      sum += entry.weight * inner;
      if (entry.last != none) {
        for (int step = 0; step < walk.steps; ++step) {
          const float other = __shfl_down_sync(0xFFFFFFFFU, sum, 1U << step);
          if ((1U << step) < walk.lane.remaining) sum += other;
        }
        if (walk.lane.row != none) {
          float& target = a[(Staged ? entry.last : entry.last * static_cast<std::uint32_t>(m_)) + walk.lane.row];
          target = walk.again ? target + sum : sum;
        }
        sum = 0;
      }
    }
  }

  /// This warp's share of the cost of all slices.
  __device__ void share_out(int n) {
    constexpr unsigned long long warps = Threads / 32;
    const unsigned long long warp = threadIdx.x / 32;
    unsigned long long total = 0;
    for (int slice = 0; slice < slices_; ++slice) total += cost(slice, static_cast<std::uint32_t>(n));
    begin_ = locate(total * warp / warps, n);
    end_ = locate(total * (warp + 1) / warps, n);
  }

  /// Cost of the first `rows` rows of G with a slice.
  __device__ unsigned long long cost(int slice, std::uint32_t rows) const {
    const Slice head = set_.slices(first_slice_ + slice).slice;
    return element_cost(head) * (row_begin_[rows] - row_begin_[0]) + row_cost(head) * rows;
  }

  /// The first row, of all slices one after the other, that begins at or behind a cost.
  __device__ Place locate(unsigned long long target, int n) const {
    int slice = 0;
    for (; slice < slices_; ++slice) {
      const unsigned long long whole = cost(slice, static_cast<std::uint32_t>(n));
      if (target < whole) break;
      target -= whole;
    }
    if (slice == slices_) return {slices_, 0};
    std::uint32_t low = 0;
    auto high = static_cast<std::uint32_t>(n);
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (cost(slice, middle) < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return {slice, row_begin_[low] - row_begin_[0]};
  }

  const Set& set_;
  EdgeKernel kernel_;
  const Entry* entries_;
  const std::uint32_t* row_begin_;
  std::uint32_t elements_;
  int first_slice_;
  int slices_;
  int m_;
  Place begin_;
  Place end_;
};

}  // namespace octile::cuda
