// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/plan/pairs.hpp>

#include <octile/base/parallel.hpp>
#include <octile/error.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace octile::cuda {
namespace {

std::size_t index(std::int32_t graph) { return static_cast<std::size_t>(graph); }

Pair swapped(Pair pair) { return {pair.second, pair.first}; }

/// Pairs that a host thread sorts at a time.
constexpr std::size_t sorted_at_once = 4096;

/// The most graphs of a set whose tiers may be joined. With more, there are so many pairs that the last ones do not matter.
constexpr std::size_t most_joined = 256;

/// About how many threads a multiprocessor has of these kernels, which take most of its registers.
constexpr int threads_at_once = 1024;

}  // namespace

PairPlan::PairPlan(Product kind, std::span<const Tier> tiers, SetSizes sizes, std::size_t chunk,
                   std::size_t most_shared, std::size_t multiprocessors)
    : kind_(kind),
      tiers_(tiers),
      set_(std::move(sizes)),
      chunk_(chunk),
      most_shared_(most_shared),
      joined_(tiers.size()) {
  std::iota(joined_.begin(), joined_.end(), std::size_t{0});
  join_tiers(multiprocessors);
}

/// Joins tiers with few pairs to larger ones. A pair takes about as long in any tier, since most smaller tiers have
/// fewer threads. So the pairs of a tier that does not fill the device, which run last, leave multiprocessors idle for
/// the time of a pair, tier after tier. Beside the pairs of a larger tier, on as many threads or more, they are done
/// sooner. Of the tiers in registers, from the largest down, those that do not fill the device are joined to the last
/// one before that does, until its pairs have doubled; the first that is not joined ends this. All pairs of the set
/// count, not those of a list, so that a pair's kernel, and with it its last bits, do not depend on what it is solved
/// with.
void PairPlan::join_tiers(std::size_t multiprocessors) {
  if (kind_ != Product::slices || multiprocessors == 0 || set_.vertices.size() > most_joined) return;
  const auto graphs = static_cast<std::int32_t>(set_.vertices.size());
  std::vector<std::size_t> count(tiers_.size());
  for (std::int32_t i = 0; i < graphs; ++i) {
    for (std::int32_t j = 0; j <= i; ++j) ++count[place({i, j}).tier];
  }
  std::optional<std::size_t> filled;
  std::size_t more = 0;
  for (std::size_t t = tiers_.size(); t-- > 0;) {
    const Tier& tier = tiers_[t];
    if (count[t] == 0) continue;
    const bool in_registers = tier.place == VectorPlace::registers;
    if (count[t] >= multiprocessors * static_cast<std::size_t>(std::max(1, threads_at_once / tier.threads))) {
      filled = in_registers ? std::optional(t) : std::nullopt;
      more = 0;
    } else if (filled && in_registers && tier.threads <= tiers_[*filled].threads && more + count[t] <= count[*filled]) {
      joined_[t] = *filled;
      more += count[t];
    } else {
      filled.reset();
    }
  }
}

std::string PairPlan::joined() const {
  std::string text;
  for (std::size_t t = 0; t < joined_.size(); ++t) {
    if (joined_[t] != t) text += fmt::format("{}{} to {}", text.empty() ? "" : ", ", t, joined_[t]);
  }
  return text;
}

ProductSizes PairPlan::sizes(Pair pair) const {
  return {vertices(pair.first), vertices(pair.second), set_.row_elements[index(pair.first)],
          set_.row_elements[index(pair.second)]};
}

std::size_t PairPlan::elements(Pair pair) const {
  const auto pitch = [&](std::int32_t graph) {
    return static_cast<std::size_t>(row_pitch(kind_, static_cast<int>(vertices(graph))));
  };
  return pitch(pair.first) * pitch(pair.second);
}

std::size_t PairPlan::shared_bytes(const Tier& tier, Pair pair, Systems systems) const {
  if (systems == Systems::both && solves_at_once(tier)) return bytes_of_both(tier, shared_bytes(tier, pair));
  const ProductSizes sizes = this->sizes(pair);
  if (tier.place == VectorPlace::distributed) {
    return tier.solve_bytes + shared_piece(tier.id_bytes * set_.vertex_ids) + tier.product.bytes(sizes);
  }
  const std::size_t length = tier.place == VectorPlace::registers ? tier.most_elements() : elements(pair);
  const std::size_t in_shared = vectors_in_global(VectorPlace::global) - vectors_in_global(tier.place);
  const bool product_stages = kind_ == Product::octiles || tier.place != VectorPlace::global;
  const bool near = stages_vertices(tier.place, tier.threads);
  return tier.solve_bytes + (near ? staged_vertices(set_.vertex_label_bytes, sizes.n, sizes.m) : 0) +
         (product_stages ? tier.product.bytes(sizes) : 0) +
         std::min<std::size_t>(in_shared, 2) * shared_piece(length * sizeof(float));
}

std::size_t PairPlan::vectors(const Tier& tier) const {
  const bool with_t = kind_ == Product::factored && tier.place == VectorPlace::global;
  return vectors_in_global(tier.place) + (with_t ? chunk_ : 0);
}

std::size_t PairPlan::vector_length(const Tier& tier, Pair largest) const {
  return tier.place == VectorPlace::distributed ? tier.most_elements() : elements(largest);
}

std::optional<std::size_t> PairPlan::bytes_if_it_fits(const Tier& tier, Pair pair, Systems systems) const {
  if (vertices(pair.first) > tier.rows || vertices(pair.second) > tier.columns) return {};
  const std::size_t bytes = shared_bytes(tier, pair, systems);
  return bytes <= most_shared_ ? std::optional(bytes) : std::nullopt;
}

bool PairPlan::largest_in_memory() const {
  if (set_.vertices.empty()) return false;
  const auto largest = static_cast<std::int32_t>(std::ranges::max_element(set_.vertices) - set_.vertices.begin());
  const VectorPlace where = tiers_[place({largest, largest}).tier].place;
  return where == VectorPlace::shared || where == VectorPlace::global;
}

/// Whether slices of the first graph would make a cheaper product than slices of the second.
bool PairPlan::better_swapped(Pair pair) const {
  const auto cost = [&](std::int32_t rows, std::int32_t lanes) {
    return set_.costs[index(lanes)].element * set_.row_elements[index(rows)] +
           set_.costs[index(lanes)].row * vertices(rows);
  };
  return cost(pair.second, pair.first) < cost(pair.first, pair.second);
}

/// The shared memory of a pair in a tier with enough elements, if the pair meets its limits of terms and labels, too.
std::optional<std::size_t> PairPlan::bytes_if_taken(const Tier& tier, Pair pair, Systems systems) const {
  const double terms = static_cast<double>(set_.row_elements[index(pair.first)]) *
                       static_cast<double>(set_.row_elements[index(pair.second)]);
  if (terms < tier.least_terms * static_cast<double>(elements(pair)) || set_.largest_label > tier.most_label) return {};
  return bytes_if_it_fits(tier, pair, systems);
}

/// The first tier that takes the pair, or the one that this is joined to.
PairPlan::Placed PairPlan::by_elements(Pair pair, Systems systems) const {
  const auto least = std::ranges::lower_bound(tiers_, elements(pair), {}, &Tier::most_elements);
  for (auto tier = least; tier != tiers_.end(); ++tier) {
    const std::optional<std::size_t> bytes = bytes_if_taken(*tier, pair, systems);
    if (!bytes) continue;
    const auto t = static_cast<std::size_t>(tier - tiers_.begin());
    const std::size_t joined = joined_[t];
    if (joined == t) return {pair, t, *bytes};
    const std::optional<std::size_t> more = bytes_if_taken(tiers_[joined], pair, systems);
    return more ? Placed{pair, joined, *more} : Placed{pair, t, *bytes};
  }
  throw Error(fmt::format("no tier takes a pair of {} and {} vertices", vertices(pair.first), vertices(pair.second)));
}

/// The first tier with enough rows and columns, for the pair as it is or swapped, whose limits of edges and weights it meets.
PairPlan::Placed PairPlan::by_vertices(Pair pair, Systems systems) const {
  const auto ends_a_row = [&](std::int32_t graph) {
    return static_cast<double>(set_.row_elements[index(graph)]) / static_cast<double>(vertices(graph));
  };
  const double ends = ends_a_row(pair.first) + ends_a_row(pair.second);
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    if (ends < tiers_[t].least_terms || set_.weight_spread > tiers_[t].most_spread) continue;
    for (const Pair& way : {pair, swapped(pair)}) {
      if (const std::optional<std::size_t> bytes = bytes_if_it_fits(tiers_[t], way, systems)) return {way, t, *bytes};
    }
  }
  throw Error(fmt::format("no tier takes a pair of {} and {} vertices", vertices(pair.first), vertices(pair.second)));
}

PairPlan::Placed PairPlan::place(Pair pair, Systems systems) const {
  if (kind_ == Product::factored) return by_vertices(pair, systems);
  return by_elements(better_swapped(pair) ? swapped(pair) : pair, systems);
}

SortedPairs PairPlan::sort(std::span<const Pair> pairs, Systems systems) const {
  SortedPairs sorted;
  sorted.oriented.resize(pairs.size());
  sorted.places.resize(pairs.size());
  sorted.parts.resize(tiers_.size());
  const std::size_t tiers = tiers_.size();
  // For each batch and tier, first the number of its pairs, later where they begin.
  std::vector<Part> counted((pairs.size() + sorted_at_once - 1) / sorted_at_once * tiers);
  in_parallel(pairs.size(), sorted_at_once, [&](std::size_t begin, std::size_t end) {
    const std::span<Part> parts = std::span(counted).subspan(begin / sorted_at_once * tiers, tiers);
    for (std::size_t k = begin; k < end; ++k) {
      const Placed placed = place(pairs[k], systems);
      sorted.oriented[k] = placed.pair;
      sorted.places[k] = placed.tier;
      add(parts[placed.tier], {placed.tier, 0, 1, placed.shared_bytes, placed.pair});
    }
  });
  for (std::size_t c = 0; c < counted.size(); ++c) {
    Part& whole = sorted.parts[c % tiers];
    const Part batch = counted[c];
    counted[c].begin = whole.count;
    if (batch.count > 0) add(whole, batch);
  }
  for (std::size_t t = tiers, begin = 0; t-- > 0;) {
    sorted.parts[t].tier = t;
    sorted.parts[t].begin = begin;
    begin += sorted.parts[t].count;
  }
  in_parallel(pairs.size(), sorted_at_once, [&](std::size_t begin, std::size_t end) {
    const std::span<Part> parts = std::span(counted).subspan(begin / sorted_at_once * tiers, tiers);
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t t = sorted.places[k];
      sorted.places[k] = sorted.parts[t].begin + parts[t].begin++;
    }
  });
  std::erase_if(sorted.parts, [](const Part& part) { return part.count == 0; });
  std::ranges::reverse(sorted.parts);
  return sorted;
}

std::vector<ListRoom> PairPlan::lists_of(std::span<const Pair> pairs, const ListRoom& most) const {
  const auto unknowns = [this](Pair pair) { return vertices(pair.first) * vertices(pair.second); };
  // All parts are counted side by side. Of most it is enough to know that they fit.
  std::vector<std::size_t> of_part((pairs.size() + sorted_at_once - 1) / sorted_at_once);
  in_parallel(pairs.size(), sorted_at_once, [&](std::size_t begin, std::size_t end) {
    std::size_t sum = 0;
    for (const Pair pair : pairs.subspan(begin, end - begin)) sum += unknowns(pair);
    of_part[begin / sorted_at_once] = sum;
  });
  std::vector<ListRoom> lists;
  ListRoom list;
  const auto fits = [&](const ListRoom& more) {
    return list.pairs + more.pairs <= most.pairs && list.unknowns + more.unknowns <= most.unknowns;
  };
  const auto add = [&](const ListRoom& more) {
    list.pairs += more.pairs;
    list.unknowns += more.unknowns;
  };
  for (std::size_t part = 0; part < of_part.size(); ++part) {
    const std::size_t begin = part * sorted_at_once;
    const ListRoom whole{std::min(sorted_at_once, pairs.size() - begin), of_part[part]};
    if (fits(whole)) {
      add(whole);
      continue;
    }
    for (const Pair pair : pairs.subspan(begin, whole.pairs)) {
      const ListRoom one{1, unknowns(pair)};
      if (list.pairs > 0 && !fits(one)) lists.push_back(std::exchange(list, {}));
      add(one);
    }
  }
  if (list.pairs > 0) lists.push_back(list);
  return lists;
}

/// Adds another part of the same tier. The pair with the most elements is kept, of equal ones the first.
void PairPlan::add(Part& part, const Part& more) const {
  if (part.count == 0 || elements(more.largest) > elements(part.largest)) part.largest = more.largest;
  part.shared_bytes = std::max(part.shared_bytes, more.shared_bytes);
  part.count += more.count;
}

bool PairPlan::has_use_for_starts(std::size_t memory, std::size_t most_based) const {
  const BasisPairs based(set_, most_based);
  const auto has_basis = [this](Pair pair) { return tiers_[place(pair).tier].based(); };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(based.pairs, has_basis));
  return 2 * count >= set_.vertices.size() && based.length * sizeof(float) <= memory / 4;
}

BasisPairs::BasisPairs(const SetSizes& set, std::size_t most_based) {
  for (std::size_t g = 0; g < set.vertices.size(); ++g) {
    const std::size_t n = set.vertices[g];
    if (n > most_based) continue;
    const auto graph = static_cast<std::int32_t>(g);
    pairs.push_back({graph, graph});
    graphs.push_back(static_cast<std::uint32_t>(g));
    length += n * n;
    most_vertices = std::max(most_vertices, n);
  }
  std::ranges::sort(pairs, std::ranges::greater(),
                    [&](Pair pair) { return set.vertices[index(pair.first)] * set.row_elements[index(pair.first)]; });
}

}  // namespace octile::cuda
