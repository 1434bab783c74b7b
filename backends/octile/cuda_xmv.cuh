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

/// Where a warp's share of a product begins: a slice of G', or two, and an element of G that begins a row.
struct Place {
  int unit;
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

  __device__ StagedOperands(const void* staged_entries, const float* vector, int /*m*/, std::uint32_t /*count*/,
                            float /*weight*/)
      : staged(static_cast<const Entry*>(staged_entries)),
        entries(shared_address(staged_entries)),
        p(shared_address(vector)) {}

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(std::size_t count) {
    return shared_piece(count * sizeof(Entry));
  }
  __device__ static void put(void* place, std::uint32_t number, std::uint32_t /*count*/, const Entry& entry) {
    static_cast<Entry*>(place)[number] = entry;
  }

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

/// The same, packed: a load of shared memory costs the registers that it fills. Columns and lasts are below 65,535 bytes.
///
///     │ label │ column, last of 16 bits │ of each element      │ weight │ of each element, read if they are not all alike
///
template <class Label>
struct PackedOperands {
  using Entry = RowEntry<Label>;
  using Column = SharedAddress;
  static constexpr bool has_label = !std::is_same_v<Label, NoLabel>;
  static constexpr std::uint32_t none_here = 0xFFFF;
  static_assert(!has_label || sizeof(Label) == sizeof(std::uint32_t));

  SharedAddress entries;
  SharedAddress weights;
  SharedAddress p;
  float weight;  ///< of all, or -1

  __device__ PackedOperands(const void* staged, const float* vector, int /*m*/, std::uint32_t count, float of_all)
      : entries(shared_address(staged)),
        weights(entries + std::uint32_t(shared_piece(count * a_word))),
        p(shared_address(vector)),
        weight(of_all) {}

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(std::size_t count) {
    return shared_piece(count * a_word) + shared_piece(count * sizeof(float));
  }
  __device__ static void put(void* place, std::uint32_t number, std::uint32_t count, const Entry& entry) {
    auto* const bytes = static_cast<unsigned char*>(place);
    auto* const words = reinterpret_cast<std::uint32_t*>(bytes + number * a_word);
    if constexpr (has_label) memcpy(words, &entry.label, sizeof(Label));
    words[has_label] = entry.column | entry.last << 16;
    reinterpret_cast<float*>(bytes + shared_piece(count * a_word))[number] = entry.weight;
  }

  __device__ Entry entry(std::uint32_t number) const {
    Entry entry;
    std::uint32_t ends;
    if constexpr (has_label) {
      const uint2 words = load_shared_pair(entries + number * a_word);
      memcpy(&entry.label, &words.x, sizeof(Label));
      ends = words.y;
    } else {
      ends = __float_as_uint(load_shared(entries + number * a_word));
    }
    entry.weight = weight < 0 ? load_shared(weights + number * std::uint32_t(sizeof(float))) : weight;
    entry.column = ends & 0xFFFF;
    entry.last = ends >> 16 == none_here ? none : ends >> 16;
    return entry;
  }
  __device__ Column column(std::uint32_t j) const { return p + j * std::uint32_t(sizeof(float)); }
  __device__ static float value(Column column, std::uint32_t row) { return load_shared(column + row); }

 private:
  static constexpr std::uint32_t a_word = (has_label ? 2 : 1) * sizeof(std::uint32_t);
};

/// The same in global memory, where the elements of G are as the set has them.
template <class Label>
struct GlobalOperands {
  using Entry = RowEntry<Label>;
  using Column = const float*;

  const Entry* entries;
  const float* p;
  std::uint32_t m;

  __device__ GlobalOperands(const void* stored, const float* vector, int columns, std::uint32_t /*count*/,
                            float /*weight*/)
      : entries(static_cast<const Entry*>(stored)), p(vector), m(static_cast<std::uint32_t>(columns)) {}

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
///
/// Paired, two slices of vertices of few edges are walked at once, which reads the elements of G half as often; they are packed.
template <class Set, class EdgeKernel, int Threads, bool Staged, bool Paired = false>
class SliceXmv {
 public:
  using Label = typename Set::edge_label_type;
  using Entry = RowEntry<Label>;
  using Operands = std::conditional_t<Paired, PackedOperands<Label>,
                                      std::conditional_t<Staged, StagedOperands<Label>, GlobalOperands<Label>>>;
  static_assert(Staged || !Paired);

  /// Bytes of shared memory that it takes for a G of so many elements, where Staged.
  static std::size_t bytes(const ProductSizes& pair) {
    if constexpr (!Staged) return 0;
    return staged_bytes(pair.entries) + shared_piece((pair.n + 1) * sizeof(std::uint32_t));
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
    weight_ = set.row_weight(system.first_graph);
    first_slice_ = static_cast<int>(set.slice_begin(system.second_graph));
    slices_ = static_cast<int>(set.slice_begin(system.second_graph + 1)) - first_slice_;
    begin_ = {0, 0};
    end_ = {units(), 0};
    if constexpr (Threads > 32) share_out(rows, system.n);
  }

  /// a ← N p. No barrier before or behind.
  __device__ __forceinline__ void apply(const float* p, float* a) const {
    const Operands operands(entries_, p, m_, elements_, weight_);
    for (int unit = begin_.unit; unit <= end_.unit && unit < units(); ++unit) {
      const std::uint32_t from = unit == begin_.unit ? begin_.element : 0;
      const std::uint32_t to = unit == end_.unit ? end_.element : elements_;
      if (from >= to) continue;
      if constexpr (Paired) {
        const int slice = 2 * unit;
        if (slice + 1 < slices_) {
          const SliceHead first = set_.slices(first_slice_ + slice);
          const SliceHead second = set_.slices(first_slice_ + slice + 1);
          if (first.slice.steps + second.slice.steps == 0) {
            walk_both(slice, first, second, from, to, operands, a);
            continue;
          }
          walk(slice + 1, from, to, operands, a);
        }
        walk(slice, from, to, operands, a);
      } else {
        walk(unit, from, to, operands, a);
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

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t staged_bytes(std::size_t count) {
    if constexpr (Staged) {
      return Operands::bytes(count);
    } else {
      return 0;
    }
  }

  /// Slices, or pairs of them.
  __device__ int units() const { return Paired ? (slices_ + 1) / 2 : slices_; }

  __device__ __forceinline__ void walk(int slice, std::uint32_t from, std::uint32_t to, const Operands& operands,
                                       float* a) const {
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

  /// Of vertices with a lane each, and at most `slots_at_once` edges.
  __device__ __forceinline__ void walk_both(int slice, const SliceHead& first, const SliceHead& second,
                                            std::uint32_t from, std::uint32_t to, const Operands& operands,
                                            float* a) const {
    const bool fuller = first.slice.slots >= second.slice.slots;
    const SliceHead& more = fuller ? first : second;
    const SliceHead& less = fuller ? second : first;
    const int lane = (first_slice_ + slice) * slice_lanes + static_cast<int>(lane_number());
    const std::uint32_t row_of_more = set_.lanes(fuller ? lane : lane + slice_lanes).row;
    const std::uint32_t row_of_less = set_.lanes(fuller ? lane + slice_lanes : lane).row;
    if (more.slice.slots <= 2) {
      follow_both<2, 2>(more, less, row_of_more, row_of_less, from, to, operands, a);
    } else if (less.slice.slots <= 2) {
      follow_both<4, 2>(more, less, row_of_more, row_of_less, from, to, operands, a);
    } else {
      follow_both<4, 4>(more, less, row_of_more, row_of_less, from, to, operands, a);
    }
  }

  template <int More, int Less>
  __device__ __forceinline__ void follow_both(const SliceHead& more, const SliceHead& less, std::uint32_t row_of_more,
                                              std::uint32_t row_of_less, std::uint32_t from, std::uint32_t to,
                                              const Operands& operands, float* a) const {
    Held held_more[More];
    Held held_less[Less];
    typename Operands::Column columns_more[More];
    typename Operands::Column columns_less[Less];
    hold(more.slots + lane_number(), more.slice.slots, operands, held_more, columns_more);
    hold(less.slots + lane_number(), less.slice.slots, operands, held_less, columns_less);
    char* const target_more = reinterpret_cast<char*>(a + row_of_more);
    char* const target_less = reinterpret_cast<char*>(a + row_of_less);
    float sum_more = 0;
    float sum_less = 0;
    for (std::uint32_t e = from; e < to; ++e) {
      const Entry entry = operands.entry(e);
      float inner_more = 0;
      float inner_less = 0;
#pragma unroll
      for (int s = 0; s < More; ++s) {
        inner_more += kernel_.value(entry.label, held_more[s]) * Operands::value(columns_more[s], entry.column);
      }
#pragma unroll
      for (int s = 0; s < Less; ++s) {
        inner_less += kernel_.value(entry.label, held_less[s]) * Operands::value(columns_less[s], entry.column);
      }
      sum_more += entry.weight * inner_more;
      sum_less += entry.weight * inner_less;
      const bool ends = entry.last != none;
      if (ends && row_of_more != none) *reinterpret_cast<float*>(target_more + entry.last) = sum_more;
      if (ends && row_of_less != none) *reinterpret_cast<float*>(target_less + entry.last) = sum_less;
      sum_more = ends ? 0.0F : sum_more;
      sum_less = ends ? 0.0F : sum_less;
    }
  }

  /// A lane's edges, `count` of them, and fillings.
  template <int Slots>
  __device__ __forceinline__ void hold(std::uint32_t first, std::uint32_t count, const Operands& operands,
                                       Held (&held)[Slots], typename Operands::Column (&columns)[Slots]) const {
#pragma unroll
    for (std::uint32_t s = 0; s < Slots; ++s) {
      const std::uint32_t slot = first + s * slice_lanes;
      const bool there = s < count;
      Label label{};
      if constexpr (Set::has_edge_labels) {
        if (there) label = set_.slot_labels(slot);
      }
      held[s] = kernel_.hold(label, there ? set_.slot_weights(slot) : 0.0F);
      columns[s] = operands.column(there ? set_.slot_columns(slot) : 0);
    }
  }

  template <int Slots>
  __device__ __forceinline__ void run(const Walk& walk, const Operands& operands, float* a) const {
    Held held[Slots];
    typename Operands::Column columns[Slots];
    hold(walk.slot, Slots, operands, held, columns);
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
    unsigned char* const staged = next;
    next += staged_bytes(elements_);
    auto* const begins = reinterpret_cast<std::uint32_t*>(next);
    next += shared_piece((static_cast<std::size_t>(n) + 1) * sizeof(std::uint32_t));
    const auto row_bytes = static_cast<std::uint32_t>(m_) * std::uint32_t(sizeof(float));
    for (std::uint32_t e = threadIdx.x; e < elements_; e += Threads) {
      Entry entry = static_cast<const Entry*>(entries_)[e];
      entry.column *= row_bytes;
      if (entry.last != none) entry.last *= row_bytes;
      Operands::put(staged, e, elements_, entry);
    }
    for (int i = static_cast<int>(threadIdx.x); i <= n; i += Threads) begins[i] = rows[i] - rows[0];
    block_barrier<Threads>();
    entries_ = staged;
    return begins;
  }

  /// This warp's share of the cost of all slices.
  __device__ void share_out(const std::uint32_t* rows, int n) {
    constexpr unsigned long long warps = Threads / 32;
    const unsigned long long warp = threadIdx.x / 32;
    // Cost of the first `count` rows of G with a unit.
    const auto cost = [&](int unit, int count) {
      unsigned long long sum = 0;
      for (int slice = Paired ? 2 * unit : unit; slice < (Paired ? min(2 * unit + 2, slices_) : unit + 1); ++slice) {
        const Slice head = set_.slices(first_slice_ + slice).slice;
        sum += element_cost(head) * (rows[count] - rows[0]) + row_cost(head) * static_cast<unsigned long long>(count);
      }
      return sum;
    };
    unsigned long long total = 0;
    for (int unit = 0; unit < units(); ++unit) total += cost(unit, n);
    // The first row, of all units one after the other, that begins at or behind a cost.
    const auto locate = [&](unsigned long long target) -> Place {
      for (int unit = 0; unit < units(); ++unit) {
        const unsigned long long whole = cost(unit, n);
        if (target >= whole) {
          target -= whole;
          continue;
        }
        int low = 0;
        for (int high = n; low < high;) {
          const int middle = (low + high) / 2;
          if (cost(unit, middle) < target) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        return {unit, rows[low] - rows[0]};
      }
      return {units(), 0};
    };
    begin_ = locate(total * warp / warps);
    end_ = locate(total * (warp + 1) / warps);
  }

  const Set& set_;
  EdgeKernel kernel_;
  const void* entries_;  ///< as `Operands` has them
  int m_;                ///< from row to row
  float weight_;         ///< of all elements, or -1
  std::uint32_t elements_;
  int first_slice_;
  int slices_;
  Place begin_;
  Place end_;
};

}  // namespace octile::cuda
