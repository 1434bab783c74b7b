// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/factors.hpp>
#include <octile/on_device/exact_lists.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile {

/// How many factors a warp takes at a time by tiles; with those that are 0 there are a multiple of as many.
inline constexpr std::size_t factors_of_tile = 16;

/// Where the tiles of a vertex begin. They end where the next one's begin.
struct TiledVertex {
  std::uint32_t four;
  std::uint32_t eight;
};

/// The weights of ends times the factors of κe ≈ Σ_k φ_k φ_k', w φ_k, as lanes of a warp read them for products of matrices of 8 × 4 and 4 × 8
/// numbers. The ends of each vertex are in fours, and again in eights, of which what is too many is 0. A four and an eight more, the last ones, are
/// all 0. Both lie 16 factors after 16 factors:
///
///     fours     end e and factors 8 t + g of the 16, at lane 4 g + e, number t               g < 8, e < 4, t < 2
///     eights    end e and factors 4 (2 p + s) + g, at lane 4 e + g, number s of two p        g < 4, e < 8, s < 2, p < 2
struct TiledLists {
  static constexpr std::uint32_t no_column = 0xFFFFFFFFU;

  std::vector<TiledVertex> vertices;  ///< and one more
  std::vector<std::uint32_t> columns_of_fours;
  std::vector<std::uint32_t> columns_of_eights;  ///< `no_column` for what is too many
  std::vector<double> fours;
  std::vector<double> eights;
  std::size_t chunks;  ///< of 16 factors

  /// Bytes that 16 factors take at most.
  static std::size_t most_bytes(const ExactLists& lists) {
    // A vertex has up to three numbers too many in its fours, and up to seven in its eights.
    return sizeof(double) * factors_of_tile * (2 * lists.ends.size() + 10 * lists.vertices.size() + 12);
  }

  /// `factors` are dense.
  TiledLists(const ExactLists& lists, const Factors& factors)
      : chunks((factors.rank + factors_of_tile - 1) / factors_of_tile) {
    std::vector<std::uint32_t> ends_of_fours;
    std::vector<std::uint32_t> ends_of_eights;
    for (std::size_t v = 0; v < lists.vertices.size(); ++v) {
      vertices.push_back({static_cast<std::uint32_t>(ends_of_fours.size() / 4),
                          static_cast<std::uint32_t>(ends_of_eights.size() / 8)});
      if (v + 1 == lists.vertices.size()) break;
      const detail::ExactVertex& vertex = lists.vertices[v];
      for (std::uint32_t e = vertex.first_end; e < vertex.last_end(); ++e) ends_of_fours.push_back(e);
      ends_of_fours.resize((ends_of_fours.size() + 3) / 4 * 4, none);
      place_eights(lists, vertex, ends_of_eights);
    }
    // The last four and the last eight are of no vertex.
    ends_of_fours.resize(ends_of_fours.size() + 4, none);
    ends_of_eights.resize(ends_of_eights.size() + 8, none);
    // What is too many has a factor of 0, and is multiplied with a column that is there.
    std::uint32_t last = 0;
    for (const std::uint32_t end : ends_of_fours) {
      if (end != none) last = lists.ends[end].column;
      columns_of_fours.push_back(last);
    }
    std::fill(columns_of_fours.end() - 4, columns_of_fours.end(), 0U);
    for (const std::uint32_t end : ends_of_eights) {
      columns_of_eights.push_back(end == none ? no_column : lists.ends[end].column);
    }
    const auto value = [&](std::uint32_t end, std::size_t k) {
      if (end == none || k >= factors.rank) return 0.0;
      return lists.ends[end].weight * factors.values[lists.ends[end].record * factors.rank + k];
    };
    for (std::size_t begin = 0; begin < chunks * factors_of_tile; begin += factors_of_tile) {
      for (std::size_t four = 0; four < ends_of_fours.size(); four += 4) {
        for (std::size_t at = 0; at < 64; ++at) {
          const std::size_t lane = at / 2;
          fours.push_back(value(ends_of_fours[four + lane % 4], begin + 8 * (at % 2) + lane / 4));
        }
      }
      for (std::size_t eight = 0; eight < ends_of_eights.size(); eight += 8) {
        for (std::size_t at = 0; at < 128; ++at) {
          const std::size_t lane = at % 64 / 2;
          const std::size_t step = 2 * (at / 64) + at % 2;
          eights.push_back(value(ends_of_eights[eight + lane / 4], begin + 4 * step + lane % 4));
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t none = no_column;

  /// Appends the ends of a vertex. Those of even places of an eight, and those of odd places, lead to columns that leave different remainders by 4,
  /// as far as there are such: lanes add to these columns at once, and meet in no bank of memory.
  static void place_eights(const ExactLists& lists, const detail::ExactVertex& vertex,
                           std::vector<std::uint32_t>& ends) {
    std::array<std::vector<std::uint32_t>, 4> by_remainder;
    for (std::uint32_t e = vertex.first_end; e < vertex.last_end(); ++e) {
      by_remainder[lists.ends[e].column % 4].push_back(e);
    }
    const std::size_t begin = ends.size();
    ends.resize(begin + (vertex.neighbours + 7) / 8 * 8, none);
    for (std::uint32_t k = 0; k < vertex.neighbours; k += 4) {
      // Four of the most frequent remainders, once each if they suffice.
      std::ranges::sort(by_remainder, [](const auto& a, const auto& b) { return a.size() > b.size(); });
      std::size_t from = 0;
      for (std::uint32_t i = 0; i < std::min(4U, vertex.neighbours - k); ++i) {
        if (by_remainder[from].empty()) from = 0;
        ends[begin + k / 8 * 8 + 2 * i + k / 4 % 2] = by_remainder[from].back();
        by_remainder[from].pop_back();
        from = (from + 1) % 4;
      }
    }
  }
};

}  // namespace octile
