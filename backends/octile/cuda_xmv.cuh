// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda_intrinsics.cuh>
#include <octile/cuda_product.cuh>
#include <octile/cuda_set.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace octile::cuda {

/// Where a warp's share of a product begins: a slice of G' and an element of G that begins a row.
struct Place {
  int slice;
  std::uint32_t element;
};

/// Where p and the elements of G lie in shared memory. An element's column and last are the bytes from p, and from a, to
/// row j and row i.
template <class Label>
struct StagedOperands {
  using Entry = RowEntry<Label>;
  using Column = SharedAddress;
  static constexpr bool of_four_words = sizeof(Entry) == 16;

  const Entry* staged;
  SharedAddress entries;
  SharedAddress p;

  __device__ StagedOperands(const Entry* staged_entries, const float* vector, int /*m*/)
      : staged(staged_entries), entries(shared_address(staged_entries)), p(shared_address(vector)) {}

  __device__ Entry entry(std::uint32_t number) const {
    if constexpr (!of_four_words) return staged[number];
    const uint4 words = load_shared_quad(entries + number * std::uint32_t(sizeof(Entry)));
    Entry entry;
    if constexpr (sizeof(Label) == sizeof(words.x)) memcpy(&entry.label, &words.x, sizeof(words.x));
    entry.weight = __uint_as_float(words.y);
    entry.column = words.z;
    entry.last = words.w;
    return entry;
  }
  __device__ Column column(std::uint32_t j) const { return p + j * std::uint32_t(sizeof(float)); }
  __device__ static float value(Column column, std::uint32_t row) { return load_shared(column + row); }
};

/// The same in global memory, where the elements of G are as the set has them.
template <class Label>
struct GlobalOperands {
  using Entry = RowEntry<Label>;
  using Column = const float*;

  const Entry* entries;
  const float* p;
  std::uint32_t m;

  __device__ GlobalOperands(const Entry* stored, const float* vector, int columns)
      : entries(stored), p(vector), m(static_cast<std::uint32_t>(columns)) {}

  __device__ Entry entry(std::uint32_t number) const {
    Entry entry = entries[number];
    entry.column *= m;
    if (entry.last != none) entry.last *= m * std::uint32_t(sizeof(float));
    return entry;
  }
  __device__ Column column(std::uint32_t j) const { return p + j; }
  __device__ static float value(Column column, std::uint32_t row) { return column[row]; }
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
  using Operands = std::conditional_t<Staged, StagedOperands<Label>, GlobalOperands<Label>>;

  /// Bytes of shared memory that it takes for a G of so many elements, where Staged.
  static std::size_t bytes(const ProductSizes& pair) {
    return shared_piece(pair.entries * sizeof(Entry)) + shared_piece((pair.n + 1) * sizeof(std::uint32_t));
  }

  /// Takes what it stages from shared memory at `next`, and moves that on. With a barrier of the block. From row to row of p
  /// and a it is `pitch`, or m.
  template <class System>
  __device__ SliceXmv(const Set& set, const EdgeKernel& kernel, const OctileChoice&, const System& system,
                      unsigned char*& next, float* /*global*/, int pitch = 0)
      : set_(set), kernel_(kernel), m_(pitch > 0 ? pitch : system.m) {
    entries_ = &set.rows(set.row_begin(system.first_vertex));
    const std::uint32_t* rows = &set.row_begin(system.first_vertex);
    elements_ = rows[system.n] - rows[0];
    if constexpr (Staged) rows = stage(rows, system.n, next);
    first_slice_ = static_cast<int>(set.slice_begin(system.second_graph));
    slices_ = static_cast<int>(set.slice_begin(system.second_graph + 1)) - first_slice_;
    begin_ = {0, 0};
    end_ = {slices_, 0};
    if constexpr (Threads > 32) share_out(rows, system.n);
  }

  /// a ← N p. No barrier before or behind.
  __device__ __forceinline__ void apply(const float* p, float* a) const {
    const Operands operands(entries_, p, m_);
    for (int slice = begin_.slice; slice <= end_.slice && slice < slices_; ++slice) {
      const std::uint32_t from = slice == begin_.slice ? begin_.element : 0;
      const std::uint32_t to = slice == end_.slice ? end_.element : elements_;
      if (from >= to) continue;
      const SliceHead head = set_.slices(first_slice_ + slice);
      const Lane lane = set_.lanes((first_slice_ + slice) * slice_lanes + lane_number());
      Walk walk{from, to, head.slots + lane_number(), head.slice.steps, false, lane};
      for (int left = static_cast<int>(head.slice.slots); left > 0; left -= slots_at_once) {
        switch (left) {
          case 1: run<1>(walk, operands, a); break;
          case 2: run<2>(walk, operands, a); break;
          case 3: run<3>(walk, operands, a); break;
          default: run<4>(walk, operands, a);
        }
        walk.slot += slots_at_once * slice_lanes;
        walk.again = true;
      }
    }
  }

 private:
  struct Walk {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t slot;
    std::uint32_t steps;
    bool again;  ///< adds to what is there: a further four slots of the slice
    Lane lane;
  };
  using Held = decltype(std::declval<EdgeKernel>().hold(Label{}, 0.0F));

  __device__ static std::uint32_t lane_number() { return threadIdx.x % 32; }

  template <int Slots>
  __device__ __forceinline__ void run(const Walk& walk, const Operands& operands, float* a) const {
    Held held[Slots];
    typename Operands::Column columns[Slots];
#pragma unroll
    for (int s = 0; s < Slots; ++s) {
      const std::uint32_t slot = walk.slot + static_cast<std::uint32_t>(s) * slice_lanes;
      Label label{};
      if constexpr (Set::has_edge_labels) label = set_.slot_labels(slot);
      held[s] = kernel_.hold(label, set_.slot_weights(slot));
      columns[s] = operands.column(set_.slot_columns(slot));
    }
    // Vertices of few edges have short rows, mostly, and no lanes to add up, or two: their ends take no branch.
    if (walk.steps == 0) {
      follow<Slots, 0>(walk, held, columns, operands, a);
    } else if (walk.steps == 1) {
      follow<Slots, 1>(walk, held, columns, operands, a);
    } else {
      follow<Slots, 2>(walk, held, columns, operands, a);
    }
  }

  /// Steps: of the slice, 2 for 2 or more.
  template <int Slots, int Steps>
  __device__ __forceinline__ void follow(const Walk& walk, const Held (&held)[Slots],
                                         const typename Operands::Column (&columns)[Slots], const Operands& operands,
                                         float* a) const {
    char* const target = reinterpret_cast<char*>(a + walk.lane.row);
    const bool writes = walk.lane.row != none;
    const float neighbour = walk.lane.remaining > 1 ? 1.0F : 0.0F;
    float sum = 0;
    for (std::uint32_t e = walk.from; e < walk.to; ++e) {
      const Entry entry = operands.entry(e);
      float inner = 0;
#pragma unroll
      for (int s = 0; s < Slots; ++s) {
        inner += kernel_.value(entry.label, held[s]) * Operands::value(columns[s], entry.column);
      }
      sum += entry.weight * inner;
      const bool ends = entry.last != none;
      if constexpr (Steps < 2) {
        const float whole = Steps == 0 ? sum : sum + neighbour * __shfl_down_sync(0xFFFFFFFFU, sum, 1);
        if (ends && writes) *reinterpret_cast<float*>(target + entry.last) = whole;
        sum = ends ? 0.0F : sum;
      } else if (ends) {
#pragma unroll 1
        for (std::uint32_t distance = 1; distance < 1U << walk.steps; distance *= 2) {
          const float other = __shfl_down_sync(0xFFFFFFFFU, sum, distance);
          if (distance < walk.lane.remaining) sum += other;
        }
        if (writes) {
          float& written = *reinterpret_cast<float*>(target + entry.last);
          written = walk.again ? written + sum : sum;
        }
        sum = 0;
      }
    }
  }

  /// Copies G's elements and the beginnings of its rows; gives those.
  __device__ const std::uint32_t* stage(const std::uint32_t* rows, int n, unsigned char*& next) {
    auto* const entries = reinterpret_cast<Entry*>(next);
    next += shared_piece(elements_ * sizeof(Entry));
    auto* const begins = reinterpret_cast<std::uint32_t*>(next);
    next += shared_piece((static_cast<std::size_t>(n) + 1) * sizeof(std::uint32_t));
    const auto row_bytes = static_cast<std::uint32_t>(m_) * std::uint32_t(sizeof(float));
    for (std::uint32_t e = threadIdx.x; e < elements_; e += Threads) {
      Entry entry = entries_[e];
      entry.column *= row_bytes;
      if (entry.last != none) entry.last *= row_bytes;
      entries[e] = entry;
    }
    for (int i = static_cast<int>(threadIdx.x); i <= n; i += Threads) begins[i] = rows[i] - rows[0];
    block_barrier<Threads>();
    entries_ = entries;
    return begins;
  }

  /// This warp's share of the cost of all slices.
  __device__ void share_out(const std::uint32_t* rows, int n) {
    constexpr unsigned long long warps = Threads / 32;
    const unsigned long long warp = threadIdx.x / 32;
    // Cost of the first `count` rows of G with a slice.
    const auto cost = [&](int slice, int count) {
      const Slice head = set_.slices(first_slice_ + slice).slice;
      return element_cost(head) * (rows[count] - rows[0]) + row_cost(head) * static_cast<unsigned long long>(count);
    };
    unsigned long long total = 0;
    for (int slice = 0; slice < slices_; ++slice) total += cost(slice, n);
    // The first row, of all slices one after the other, that begins at or behind a cost.
    const auto locate = [&](unsigned long long target) -> Place {
      for (int slice = 0; slice < slices_; ++slice) {
        const unsigned long long whole = cost(slice, n);
        if (target >= whole) {
          target -= whole;
          continue;
        }
        int low = 0;
        for (int high = n; low < high;) {
          const int middle = (low + high) / 2;
          if (cost(slice, middle) < target) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        return {slice, rows[low] - rows[0]};
      }
      return {slices_, 0};
    };
    begin_ = locate(total * warp / warps);
    end_ = locate(total * (warp + 1) / warps);
  }

  const Set& set_;
  EdgeKernel kernel_;
  const Entry* entries_;
  int m_;  ///< from row to row
  std::uint32_t elements_;
  int first_slice_;
  int slices_;
  Place begin_;
  Place end_;
};

}  // namespace octile::cuda
