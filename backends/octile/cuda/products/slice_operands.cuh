// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/intrinsics.cuh>
#include <octile/cuda/block/two.cuh>
#include <octile/cuda/layout/slice_arrays.hpp>
#include <octile/cuda/plan/tier.hpp>
#include <octile/graphs/octile_set.hpp>
#include <octile/graphs/rows.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::cuda {

/// Elements that a walk counts: how operands say where one lies, unless they do so by its address.
struct CountedElements {
  using Cursor = std::uint32_t;
  static constexpr Cursor step = 1;
  __device__ static Cursor cursor(std::uint32_t number) { return number; }
};

/// Access to p and to the elements of G, both in shared memory. There an element's `column` and `last` are offsets in
/// bytes of row j from p and of row i from a. `Number` is what p and a have at a place.
template <class Label, class Number = float>
struct StagedOperands {
  using Entry = RowEntry<Label>;
  using Column = SharedAddress;
  static constexpr bool of_four_words = sizeof(Entry) == 16;

  const Entry* staged;
  SharedAddress entries;
  SharedAddress p;

  __device__ StagedOperands(const void* staged_entries, const Number* vector, int /*m*/, std::uint32_t /*count*/,
                            float /*weight*/)
      : staged(static_cast<const Entry*>(staged_entries)),
        entries(shared_address(staged_entries)),
        p(shared_address(vector)) {}

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(std::size_t count) {
    return staged_elements(count, sizeof(Entry));
  }
  __device__ static void put(void* place, std::uint32_t number, std::uint32_t /*count*/, const Entry& entry) {
    static_cast<Entry*>(place)[number] = entry;
  }

  /// Where an element lies, which a walk over elements counts up.
  using Cursor = std::conditional_t<of_four_words, SharedAddress, std::uint32_t>;
  static constexpr Cursor step = of_four_words ? sizeof(Entry) : 1;
  __device__ Cursor cursor(std::uint32_t number) const { return of_four_words ? entries + number * step : number; }

  __device__ Entry at(Cursor place) const {
    if constexpr (!of_four_words) return staged[place];
    const uint4 words = load_shared_quad(place);
    Entry entry;
    if constexpr (!std::is_same_v<Label, NoLabel>) memcpy(&entry.label, &words.x, sizeof(Label));
    entry.weight = __uint_as_float(words.y);
    entry.column = words.z;
    entry.last = words.w;
    return entry;
  }
  __device__ Column column(std::uint32_t j) const { return p + j * std::uint32_t(sizeof(Number)); }
  __device__ static Number value(Column column, std::uint32_t row) { return load_shared_number<Number>(column + row); }
};

/// As `StagedOperands`, with the elements in three arrays, since a load of shared memory costs by the registers that it
/// fills. A walk over whole rows does not load `last`, nor the weight if all elements have the same.
///
///     │ label, column │ of each element      │ weight │      │ last │
///
template <class Label>
struct SplitOperands : CountedElements {
  using Entry = RowEntry<Label>;
  using Column = SharedAddress;
  static constexpr bool has_label = !std::is_same_v<Label, NoLabel>;
  static_assert(!has_label || sizeof(Label) == sizeof(std::uint32_t));

  static constexpr std::uint32_t a_word = sizeof(std::uint32_t);
  static constexpr std::uint32_t an_entry = (has_label ? 2 : 1) * a_word;

  SharedAddress entries;
  SharedAddress weights;
  SharedAddress lasts;
  SharedAddress p;
  float weight;  ///< weight of all elements if they are equal, else -1

  __device__ SplitOperands(const void* staged, const float* vector, int /*m*/, std::uint32_t count, float of_all)
      : entries(shared_address(staged)),
        weights(entries + std::uint32_t(shared_piece(count * an_entry))),
        lasts(weights + std::uint32_t(shared_piece(count * sizeof(float)))),
        p(shared_address(vector)),
        weight(of_all) {}

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(std::size_t count) {
    return split_elements(count, an_entry);
  }
  __device__ static void put(void* place, std::uint32_t number, std::uint32_t count, const Entry& entry) {
    auto* const bytes = static_cast<unsigned char*>(place);
    auto* const words = reinterpret_cast<std::uint32_t*>(bytes + number * an_entry);
    if constexpr (has_label) memcpy(words, &entry.label, sizeof(Label));
    words[has_label] = entry.column;
    auto* const behind = bytes + shared_piece(count * an_entry);
    reinterpret_cast<float*>(behind)[number] = entry.weight;
    reinterpret_cast<std::uint32_t*>(behind + shared_piece(count * sizeof(float)))[number] = entry.last;
  }

  /// An element without its `last`.
  __device__ Entry within_row(std::uint32_t number) const {
    Entry entry;
    if constexpr (has_label) {
      const uint2 words = load_shared_pair(entries + number * an_entry);
      memcpy(&entry.label, &words.x, sizeof(Label));
      entry.column = words.y;
    } else {
      entry.column = __float_as_uint(load_shared(entries + number * an_entry));
    }
    entry.weight = weight < 0 ? load_shared(weights + number * a_word) : weight;
    return entry;
  }
  __device__ Entry at(Cursor number) const {
    Entry entry = within_row(number);
    entry.last = __float_as_uint(load_shared(lasts + number * a_word));
    return entry;
  }
  __device__ Column column(std::uint32_t j) const { return p + j * a_word; }
  __device__ static float value(Column column, std::uint32_t row) { return load_shared(column + row); }
};

/// Access to p and to the elements of G in global memory, where an element's `column` and `last` are vertices, as in the set.
template <class Label>
struct GlobalOperands : CountedElements {
  using Entry = RowEntry<Label>;
  using Column = const float*;

  const Entry* entries;
  const float* p;
  std::uint32_t m;

  __device__ GlobalOperands(const void* stored, const float* vector, int columns, std::uint32_t /*count*/,
                            float /*weight*/)
      : entries(static_cast<const Entry*>(stored)), p(vector), m(static_cast<std::uint32_t>(columns)) {}

  __device__ Entry at(Cursor number) const {
    Entry entry = entries[number];
    entry.column *= m;
    if (entry.last != none) entry.last *= m * std::uint32_t(sizeof(float));
    return entry;
  }
  __device__ Column column(std::uint32_t j) const { return p + j; }
  __device__ static float value(Column column, std::uint32_t row) { return column[row]; }
};

}  // namespace octile::cuda
