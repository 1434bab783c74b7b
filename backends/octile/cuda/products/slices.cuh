// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/plan/tier.hpp>
#include <octile/cuda/products/concepts.cuh>
#include <octile/cuda/products/slice_operands.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace octile::cuda {

/// Where a warp's share of a product begins: a slice of G' (the first of its group), and a row of G with its first element.
struct Place {
  int slice;
  std::uint32_t element;
  int row;
};

/// The product y_ii' = Σ_jj' A_ij A'_i'j' κe(E_ij, E'_i'j') p_jj' by a block of threads.
///
/// A warp loads a slice of G' into registers and walks the elements of G, all lanes in step. A lane has up to 4 edges
/// (i', j') of one vertex i':
///
///     element (i, j) of G ──► every lane:  sum += A_ij Σ_s A'_s κe(E_ij, E'_s) p[j m + j'_s]
///                             at the end of row i:  lanes of one vertex add up, the first writes y_ii'
///
/// One thread writes each (i, i'), without atomics, so results are equal to the bit from run to run. The combinations of slices and rows are
/// cut into shares of equal cost, one for each warp. `Number` is what p and y have at a place: a float, or `Two` for both systems of a pair.
///
/// If Grouped, up to three slices of vertices with few edges are walked at once, with 8 slots a lane, row by row of G.
/// So the elements of G are read less often, and the ends of rows cost nothing.
template <class Set, class EdgeKernel, int Threads, bool Staged, bool Grouped = false, class Number = float>
class SliceXmv {
 public:
  using Label = typename Set::edge_label_type;
  using Entry = RowEntry<Label>;
  using Operands = std::conditional_t<Grouped, SplitOperands<Label>,
                                      std::conditional_t<Staged, StagedOperands<Label, Number>, GlobalOperands<Label>>>;
  static_assert(std::is_same_v<Number, float> ? Staged || !Grouped : Staged && !Grouped);
  /// Whether a part of κe is multiplied into the weights of G's elements when they are copied to shared memory.
  static constexpr bool folds = requires(const EdgeKernel& kernel, Label label) { kernel.walked(label, 1.0F); };
  static_assert(Staged || !folds);

  /// Shared memory that the product takes if Staged.
  static constexpr ProductMemory memory() {
    if constexpr (Grouped) {
      return {ProductMemory::Form::split_slices, 0, Operands::an_entry};
    } else {
      return {ProductMemory::Form::slices, 0, sizeof(Entry)};
    }
  }

  /// If Staged, copies G to shared memory at `next`, which it advances, and ends with a barrier. Rows of p and a are `pitch` or m apart.
  template <class System>
  __device__ SliceXmv(const Set& set, const EdgeKernel& kernel, const OctileChoice&, const System& system,
                      unsigned char*& next, float* /*global*/, int pitch = 0)
      : set_(set), kernel_(kernel), m_(pitch > 0 ? pitch : system.m) {
    entries_ = &set.rows(set.row_begin(system.first_vertex));
    const std::uint32_t* rows = &set.row_begin(system.first_vertex);
    elements_ = rows[system.n] - rows[0];
    if constexpr (Staged) rows = stage(rows, system.n, next);
    weight_ = folds ? -1 : set.row_weight(system.first_graph);
    first_slice_ = static_cast<int>(set.slice_begin(system.second_graph));
    slices_ = static_cast<int>(set.slice_begin(system.second_graph + 1)) - first_slice_;
    begin_ = {0, 0, 0};
    end_ = {slices_, 0, 0};
    rows_ = rows;
    n_ = system.n;
    if constexpr (Threads > 32) share_out(rows, system.n);
  }

  /// a ← N p, without a barrier before or after.
  __device__ __forceinline__ void apply(const Number* p, Number* a) const {
    const Operands operands(entries_, p, m_, elements_, weight_);
    for (int slice = begin_.slice; slice <= end_.slice && slice < slices_;) {
      const Place from = slice == begin_.slice ? begin_ : Place{slice, 0, 0};
      const Place to = slice == end_.slice ? end_ : Place{slice, elements_, n_};
      const Group group = group_at(slice);
      slice += group.slices;
      if (from.element >= to.element) continue;
      if constexpr (Grouped) {
        if (group.slices > 1) {
          walk_group(group, from, to, operands, a);
          continue;
        }
      }
      walk(from, to, operands, a);
    }
  }

 private:
  struct Walk {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t slot;
    std::uint32_t steps;
    bool again;  ///< add to the sums that are stored already: these are further slots of the same slice
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

  /// Slices that are walked together: `fours` of them with up to 4 slots, then `twos` with up to 2.
  struct Group {
    int slices = 1;
    int fours = 0;
    int twos = 0;
  };

  __device__ __forceinline__ Group group_at(int slice) const {
    Group group;
    if constexpr (Grouped) {
      group.slices = 0;
      for (; slice < slices_ && group.slices < 3; ++slice) {
        const Slice head = set_.slices(first_slice_ + slice).slice;
        if (head.steps > 0 || head.slots > 4) break;
        const bool four = head.slots > 2;
        if (four ? group.twos > 0 || group.fours == 2 : 4 * group.fours + 2 * group.twos > 6) break;
        ++(four ? group.fours : group.twos);
        ++group.slices;
      }
      if (group.slices == 0) group.slices = 1;
    }
    return group;
  }

  __device__ __forceinline__ void walk(const Place& from, const Place& to, const Operands& operands, Number* a) const {
    const SliceHead head = set_.slices(first_slice_ + from.slice);
    const Lane lane = set_.lanes((first_slice_ + from.slice) * slice_lanes + lane_number());
    Walk walk{from.element, to.element, head.slots + lane_number(), head.slice.steps, false, lane};
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

  __device__ __forceinline__ void walk_group(const Group& group, const Place& from, const Place& to,
                                             const Operands& operands, float* a) const {
    if (group.fours == 2) {
      follow_group<2, 0>(from, to, operands, a);
    } else if (group.fours == 1 && group.twos == 2) {
      follow_group<1, 2>(from, to, operands, a);
    } else if (group.fours == 1) {
      follow_group<1, 1>(from, to, operands, a);
    } else if (group.twos == 3) {
      follow_group<0, 3>(from, to, operands, a);
    } else {
      follow_group<0, 2>(from, to, operands, a);
    }
  }

  /// Walks a group of slices in which each lane has a vertex of its own.
  template <int Fours, int Twos>
  __device__ __forceinline__ void follow_group(const Place& from, const Place& to, const Operands& operands,
                                               float* a) const {
    constexpr int slices = Fours + Twos;
    constexpr int slots = 4 * Fours + 2 * Twos;
    Held held[slots];
    typename Operands::Column columns[slots];
    std::uint32_t row_of[slices];
    char* targets[slices];
#pragma unroll
    for (int k = 0; k < slices; ++k) {
      const int number = first_slice_ + from.slice + k;
      const SliceHead head = set_.slices(number);
      row_of[k] = set_.lanes(number * slice_lanes + lane_number()).row;
      targets[k] = reinterpret_cast<char*>(a + row_of[k]);
#pragma unroll
      for (int s = 0; s < (k < Fours ? 4 : 2); ++s) {
        const int slot = k < Fours ? 4 * k + s : 4 * Fours + 2 * (k - Fours) + s;
        hold(head.slots + lane_number(), s, static_cast<std::uint32_t>(s) < head.slice.slots, operands, held[slot],
             columns[slot]);
      }
    }
    // Each element is loaded while the previous one is multiplied. The load past the last element reads other memory of the block.
    std::uint32_t e = from.element;
    Entry next = operands.within_row(e);
    std::uint32_t row_bytes = static_cast<std::uint32_t>(from.row * m_) * std::uint32_t(sizeof(float));
    std::uint32_t next_end = rows_[from.row + 1];
    for (int row = from.row; row < to.row; ++row) {
      const std::uint32_t end = next_end;
      next_end = rows_[min(row + 2, n_)];
      float sums[slices] = {};
#pragma unroll 1
      for (; e < end; ++e) {
        const Entry entry = next;
        next = operands.within_row(e + 1);
        float inner[slices] = {};
#pragma unroll
        for (int slot = 0; slot < slots; ++slot) {
          inner[slot < 4 * Fours ? slot / 4 : Fours + (slot - 4 * Fours) / 2] +=
              kernel_.value(entry.label, held[slot]) * Operands::value(columns[slot], entry.column);
        }
#pragma unroll
        for (int k = 0; k < slices; ++k) sums[k] += entry.weight * inner[k];
      }
#pragma unroll
      for (int k = 0; k < slices; ++k) {
        if (row_of[k] != none) *reinterpret_cast<float*>(targets[k] + row_bytes) = sums[k];
      }
      row_bytes += static_cast<std::uint32_t>(m_) * std::uint32_t(sizeof(float));
    }
  }

  /// Loads edge `number` of a lane whose first is in slot `first`, or padding if it is not `there`. The numbers are compile-time
  /// constants, so that one address serves all edges.
  __device__ __forceinline__ void hold(std::uint32_t first, int number, bool there, const Operands& operands,
                                       Held& held, typename Operands::Column& column) const {
    const int from = number * static_cast<int>(slice_lanes);
    Label label{};
    if constexpr (Set::has_edge_labels) {
      if (there) label = (set_.slot_labels.data() + first)[from];
    }
    held = kernel_.hold(label, there ? (set_.slot_weights.data() + first)[from] : 0.0F);
    column = operands.column(there ? (set_.slot_columns.data() + first)[from] : 0);
  }

  template <int Slots>
  __device__ __forceinline__ void run(const Walk& walk, const Operands& operands, Number* a) const {
    Held held[Slots];
    typename Operands::Column columns[Slots];
#pragma unroll
    for (int s = 0; s < Slots; ++s) {
      hold(walk.slot, s, true, operands, held[s], columns[s]);
    }
    // With one or two lanes a vertex, rows are mostly short, so the end of a row is handled without a branch.
    if (walk.steps == 0) {
      follow<Slots, 0>(walk, held, columns, operands, a);
    } else if (walk.steps == 1) {
      follow<Slots, 1>(walk, held, columns, operands, a);
    } else {
      follow<Slots, 2>(walk, held, columns, operands, a);
    }
  }

  /// `Steps` is that of the slice, with 2 for 2 or more.
  template <int Slots, int Steps>
  __device__ __forceinline__ void follow(const Walk& walk, const Held (&held)[Slots],
                                         const typename Operands::Column (&columns)[Slots], const Operands& operands,
                                         Number* a) const {
    char* const target = reinterpret_cast<char*>(a + walk.lane.row);
    const bool writes = walk.lane.row != none;
    const float neighbour = walk.lane.remaining > 1 ? 1.0F : 0.0F;
    Number sum{};
    const auto take = [&](const Entry& entry) {
      Number inner{};
#pragma unroll
      for (int s = 0; s < Slots; ++s) {
        inner += kernel_.value(Staged ? entry.label : placed_label(kernel_, entry.label), held[s]) *
                 Operands::value(columns[s], entry.column);
      }
      sum += entry.weight * inner;
      const bool ends = entry.last != none;
      if constexpr (Steps == 0) {
        // The sum of a lane without a vertex is never read.
        if (ends && writes) {
          *reinterpret_cast<Number*>(target + entry.last) = sum;
          sum = Number{};
        }
      } else if constexpr (Steps == 1) {
        const Number whole = sum + neighbour * number_from_above(sum, 1);
        if (ends && writes) *reinterpret_cast<Number*>(target + entry.last) = whole;
        sum = ends ? Number{} : sum;
      } else if (ends) {
#pragma unroll 1
        for (std::uint32_t distance = 1; distance < 1U << walk.steps; distance *= 2) {
          const Number other = number_from_above(sum, distance);
          if (distance < walk.lane.remaining) sum += other;
        }
        if (writes) {
          Number& written = *reinterpret_cast<Number*>(target + entry.last);
          written = walk.again ? written + sum : sum;
        }
        sum = Number{};
      }
    };
    // By two, of which both are loaded first. Not by more, since concurrent kernels also compete for the instruction cache.
    auto place = operands.cursor(walk.from);
    const auto end = operands.cursor(walk.to);
    if ((walk.to - walk.from) % 2 != 0) {
      take(operands.at(place));
      place += Operands::step;
      if (place == end) return;
    }
#pragma unroll 1
    do {
      const Entry first = operands.at(place);
      const Entry second = operands.at(place + Operands::step);
      take(first);
      take(second);
      place += 2 * Operands::step;
    } while (place != end);
  }

  /// Copies G's elements and row offsets to shared memory; returns the copied offsets.
  __device__ const std::uint32_t* stage(const std::uint32_t* rows, int n, unsigned char*& next) {
    unsigned char* const staged = next;
    next += staged_bytes(elements_);
    auto* const begins = reinterpret_cast<std::uint32_t*>(next);
    next += staged_rows(static_cast<std::size_t>(n));
    const auto row_bytes = static_cast<std::uint32_t>(m_) * std::uint32_t(sizeof(Number));
    for (std::uint32_t e = threadIdx.x; e < elements_; e += Threads) {
      Entry entry = static_cast<const Entry*>(entries_)[e];
      if constexpr (folds) entry.weight = kernel_.walked(entry.label, entry.weight);
      if constexpr (Set::has_edge_labels) entry.label = placed_label(kernel_, entry.label);
      entry.column *= row_bytes;
      if (entry.last != none) entry.last *= row_bytes;
      Operands::put(staged, e, elements_, entry);
    }
    for (int i = static_cast<int>(threadIdx.x); i <= n; i += Threads) begins[i] = rows[i] - rows[0];
    block_barrier<Threads>();
    entries_ = staged;
    return begins;
  }

  /// Sets this warp's share, so that all warps have equal costs.
  __device__ void share_out(const std::uint32_t* rows, int n) {
    constexpr unsigned long long warps = Threads / 32;
    const unsigned long long warp = threadIdx.x / 32;
    // The cost of the first `count` rows of G with a group of slices.
    const auto cost = [&](int slice, int slices, int count) {
      unsigned long long sum = 0;
      for (int k = slice; k < slice + slices; ++k) {
        const Slice head = set_.slices(first_slice_ + k).slice;
        sum += element_cost(head) * (rows[count] - rows[0]) + row_cost(head) * static_cast<unsigned long long>(count);
      }
      return sum;
    };
    unsigned long long total = cost(0, slices_, n);
    for (int slice = group_at(0).slices; slice < slices_; slice += group_at(slice).slices) total += hold_cost;
    // Counted through all groups of slices in order, the first row before which at least `target` of the cost lies.
    const auto locate = [&](unsigned long long target) -> Place {
      for (int slice = 0; slice < slices_;) {
        const int slices = group_at(slice).slices;
        if (slice > 0) target -= target < hold_cost ? target : hold_cost;
        const unsigned long long whole = cost(slice, slices, n);
        if (target >= whole) {
          target -= whole;
          slice += slices;
          continue;
        }
        int low = 0;
        for (int high = n; low < high;) {
          const int middle = (low + high) / 2;
          if (cost(slice, slices, middle) < target) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        return {slice, rows[low] - rows[0], low};
      }
      return {slices_, 0, 0};
    };
    begin_ = locate(total * warp / warps);
    end_ = locate(total * (warp + 1) / warps);
  }

  const Set& set_;
  EdgeKernel kernel_;
  const void* entries_;  ///< G's elements, in the form of `Operands`
  int m_;                ///< row pitch of p and a
  int n_;
  float weight_;               ///< weight of all elements if they are equal, else -1
  const std::uint32_t* rows_;  ///< row offsets; if Staged, relative to the first row
  std::uint32_t elements_;
  int first_slice_;
  int slices_;
  Place begin_;
  Place end_;
};

template <class Set, class EdgeKernel, int Threads, bool Staged>
struct ProductOf<Product::slices, Set, EdgeKernel, Threads, Staged> {
  using type = SliceXmv<Set, EdgeKernel, Threads, Staged>;
};

}  // namespace octile::cuda
