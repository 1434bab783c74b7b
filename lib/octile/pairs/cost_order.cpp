// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/cost_order.hpp>

#include <octile/base/parallel.hpp>
#include <octile/base/parallel_join.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace octile {
namespace {

/// So few places one thread sorts as quickly.
constexpr std::size_t few_places = std::size_t(1) << 14;
/// The least places of a thread's part of a pass, and the most parts.
constexpr std::size_t places_at_once = std::size_t(1) << 14;
constexpr std::size_t most_parts = 256;

constexpr unsigned key_bits = 32;
constexpr unsigned digit_bits = 11;
constexpr std::size_t digits = std::size_t(1) << digit_bits;

struct Entry {
  std::uint32_t key;
  std::uint32_t number;  ///< of its place among those that were given

  std::size_t digit(unsigned shift) const { return (key >> shift) % digits; }
};

/// The first bits of a cost, which is not negative, backwards: in the order of keys costs fall.
std::uint32_t key_of(double cost) {
  return ~static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(cost) >> (64 - key_bits));
}

/// Sorts by one digit and leaves entries with equal ones in their order.
void sort_by_digit(std::span<const Entry> from, std::span<Entry> to, unsigned shift) {
  const std::size_t part = std::max(places_at_once, (from.size() + most_parts - 1) / most_parts);
  const std::size_t parts = (from.size() + part - 1) / part;
  // For each part and digit, first how many entries have it, later where the next one goes.
  std::vector<std::size_t> next(parts * digits);
  in_parallel(from.size(), part, [&](std::size_t begin, std::size_t end) {
    const std::span<std::size_t> counts = std::span(next).subspan(begin / part * digits, digits);
    for (const Entry& entry : from.subspan(begin, end - begin)) ++counts[entry.digit(shift)];
  });
  std::size_t sum = 0;
  for (std::size_t digit = 0; digit < digits; ++digit) {
    for (std::size_t p = 0; p < parts; ++p) sum += std::exchange(next[p * digits + digit], sum);
  }
  in_parallel(from.size(), part, [&](std::size_t begin, std::size_t end) {
    const std::span<std::size_t> places = std::span(next).subspan(begin / part * digits, digits);
    for (const Entry& entry : from.subspan(begin, end - begin)) to[places[entry.digit(shift)]++] = entry;
  });
}

}  // namespace

std::vector<std::size_t> costliest_first(std::span<const Pair> list, std::vector<std::size_t> places,
                                         const CostModel& cost) {
  if (places.size() <= few_places || places.size() > std::numeric_limits<std::uint32_t>::max()) {
    std::ranges::stable_sort(places, std::ranges::greater(), [&](std::size_t at) { return cost(list[at]); });
    return places;
  }
  std::vector<Entry> entries(places.size());
  std::vector<Entry> others(places.size());
  const std::uint32_t first = key_of(cost(list[places.front()]));
  const auto differing = [&](std::size_t begin, std::size_t end) {
    std::uint32_t bits = 0;
    for (std::size_t k = begin; k < end; ++k) {
      entries[k] = {key_of(cost(list[places[k]])), static_cast<std::uint32_t>(k)};
      bits |= entries[k].key ^ first;
    }
    return bits;
  };
  const std::uint32_t bits = joined_in_parallel(places.size(), places_at_once, std::uint32_t(0), differing,
                                                [](std::uint32_t& all, std::uint32_t some) { all |= some; });
  for (unsigned shift = 0; shift < key_bits; shift += digit_bits) {
    if ((bits >> shift) % digits == 0) continue;
    sort_by_digit(entries, others, shift);
    entries.swap(others);
  }
  std::vector<std::size_t> sorted(places.size());
  in_parallel(places.size(), places_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) sorted[k] = places[entries[k].number];
  });
  return sorted;
}

}  // namespace octile
