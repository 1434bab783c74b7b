// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/layout/factor_lists.hpp>

#include <octile/graph_rows.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace octile::cuda {
namespace {

/// What of the tolerance the factors left out may take in each iteration, about: the steps of CG are about 1. What adds
/// up to more is found when the residual is formed anew.
constexpr double relaxation = 0.1;
constexpr double dense_relaxation = 2;

double value_of_half(std::uint16_t bits) {
  const int exponent = std::max(bits >> 10 & 0x1F, 1);
  const int steps = (bits & 0x3FF) + ((bits >> 10 & 0x1F) > 0 ? 0x400 : 0);
  return (bits >> 15 == 0 ? 1 : -1) * std::ldexp(steps, exponent - 25);
}

/// The power of two next above a number, or 1 for 0.
double power_above(double number) { return number > 0 ? std::exp2(std::ceil(std::log2(number))) : 1; }

/// Numbers the vertices anew within each eight, so that the other ends of the edges of eight columns are spread evenly
/// over the classes modulo 8: the fullest class says how many slots there have to be. `order` comes by falling degree and
/// stays so, eight by eight. Two vertices of an eight swap as long as the sums of squares of the classes fall.
void spread_classes(const std::vector<std::vector<RowElement>>& natural, std::vector<std::uint32_t>& order) {
  constexpr std::size_t eight = scatter_lanes;
  constexpr int sweeps = 4;
  const std::size_t n = order.size();
  const std::size_t groups = (n + eight - 1) / eight;
  std::vector<std::size_t> group(n);
  for (std::size_t k = 0; k < n; ++k) group[order[k]] = k / eight;
  // Edges of vertex v with columns of a group, and of a group with a class.
  std::vector<int> edges(n * groups);
  std::vector<int> load(groups * eight);
  for (std::size_t k = 0; k < n; ++k) {
    for (const auto& [edge, column] : natural[order[k]]) {
      ++edges[order[k] * groups + group[column]];
      ++load[group[column] * eight + k % eight];
    }
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < std::min(n, (a / eight + 1) * eight); ++b) {
        const int* const of_a = &edges[order[a] * groups];
        const int* const of_b = &edges[order[b] * groups];
        int change = 0;  // half of the sum of squares'
        for (std::size_t g = 0; g < groups; ++g) {
          const int moved = of_b[g] - of_a[g];
          change += moved * (moved + load[g * eight + a % eight] - load[g * eight + b % eight]);
        }
        if (change >= 0) continue;
        for (std::size_t g = 0; g < groups; ++g) {
          load[g * eight + a % eight] += of_b[g] - of_a[g];
          load[g * eight + b % eight] -= of_b[g] - of_a[g];
        }
        std::swap(order[a], order[b]);
      }
    }
  }
}

}  // namespace

std::vector<std::uint32_t> FactorLists::add(const Graph& graph, std::span<const std::uint32_t> records,
                                            std::span<const float> weights) {
  const std::vector<std::vector<RowElement>> natural = rows_of(graph);
  std::vector<std::uint32_t> order(natural.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return natural[a].size() > natural[b].size(); });
  const bool banded = forms_.bands && order.size() <= factored_sizes.back();
  if (banded) spread_classes(natural, order);
  std::vector<std::uint32_t> number(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) number[order[k]] = k;
  Rows rows(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const auto& [edge, column] : natural[order[k]]) rows[k].push_back({number[column], edge});
  }
  last_elements_ = 2 * graph.edge_count();
  if (forms_.chunk > 0) add_entries(rows, records, weights);
  if (forms_.fours) add_fours(order.size() <= most_in_strips ? rows : Rows(), records, weights);
  if (forms_.spots) add_spots(order.size() <= factored_sizes.back() ? rows : Rows(), records, weights);
  if (forms_.bands) {
    add_walks(banded ? rows : Rows(), records, weights);
    add_scatters(banded ? rows : Rows(), records, weights);
    band_sizes_.push_back(
        {walk_begin_.back() - walk_begin_[first_walk_.back()], slot_begin_.back() - slot_begin_[first_slots_.back()]});
  }
  return order;
}

void FactorLists::add_entries(const Rows& rows, std::span<const std::uint32_t> records,
                              std::span<const float> weights) {
  const std::size_t before = entries_.vertex.size();
  for (const std::vector<Element>& row : rows) {
    for (const Element& element : row) {
      entries_.add(element.vertex, records[element.edge], weights[element.edge]);
    }
    if (row.size() % 2 == 1) entries_.add_filling(0);
    row_begin_.push_back(static_cast<std::uint32_t>(entries_.vertex.size()));
  }
  last_elements_ = entries_.vertex.size() - before;
}

/// Within a step the lanes' columns are in different banks, four rows of eight floats, as far as that goes without
/// more steps than the longest row has.
void FactorLists::add_walks(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights) {
  first_walk_.push_back(static_cast<std::uint32_t>(walk_begin_.size() - 1));
  for (std::size_t first = 0; first < rows.size(); first += walk_lanes) {
    std::array<std::vector<Element>, walk_lanes> left;
    for (std::size_t lane = 0; lane < walk_lanes && first + lane < rows.size(); ++lane) left[lane] = rows[first + lane];
    std::size_t steps = 0;
    for (const std::vector<Element>& edges : left) steps = std::max(steps, edges.size());
    for (std::size_t step = 0; step < steps; ++step) {
      std::array<bool, walk_lanes> used{};
      std::uint32_t last = 0;
      for (std::vector<Element>& edges : left) {
        if (edges.empty()) {
          walks_.add_filling(last);
          continue;
        }
        auto chosen = std::ranges::find_if(edges, [&](const Element& e) { return !used[e.vertex % walk_lanes]; });
        if (chosen == edges.end()) chosen = edges.begin();
        last = chosen->vertex;
        used[last % walk_lanes] = true;
        walks_.add(last, records[chosen->edge], weights[chosen->edge]);
        edges.erase(chosen);
      }
    }
    walk_begin_.push_back(walk_steps());
  }
}

/// The longest columns choose first, from the class modulo 8 that has most edges left: slots are few.
void FactorLists::add_scatters(const Rows& rows, std::span<const std::uint32_t> records,
                               std::span<const float> weights) {
  first_slots_.push_back(static_cast<std::uint32_t>(slot_begin_.size() - 1));
  for (std::size_t first = 0; first < rows.size(); first += scatter_lanes) {
    std::array<std::vector<Element>, scatter_lanes> left;
    std::array<std::size_t, scatter_lanes> load{};
    std::size_t count = 0;
    for (std::size_t lane = 0; lane < scatter_lanes && first + lane < rows.size(); ++lane) {
      left[lane] = rows[first + lane];
      count += left[lane].size();
      for (const Element& e : left[lane]) ++load[e.vertex % scatter_lanes];
    }
    while (count > 0) {
      std::array<std::size_t, scatter_lanes> lanes{};
      std::iota(lanes.begin(), lanes.end(), std::size_t{0});
      std::ranges::stable_sort(lanes, [&](auto a, auto b) { return left[a].size() > left[b].size(); });
      std::array<bool, scatter_lanes> used{};
      std::array<Element, scatter_lanes> slot;
      slot.fill({filling, filling});
      for (const std::size_t lane : lanes) {
        auto best = left[lane].end();
        for (auto e = left[lane].begin(); e != left[lane].end(); ++e) {
          if (used[e->vertex % scatter_lanes]) continue;
          if (best == left[lane].end() || load[e->vertex % scatter_lanes] > load[best->vertex % scatter_lanes])
            best = e;
        }
        if (best == left[lane].end()) continue;
        slot[lane] = *best;
        used[best->vertex % scatter_lanes] = true;
        --load[best->vertex % scatter_lanes];
        left[lane].erase(best);
        --count;
      }
      for (const Element& e : slot) {
        if (e.edge != filling) {
          scatters_.add(e.vertex, records[e.edge], weights[e.edge]);
          continue;
        }
        // A filling adds nothing to an element that no other lane touches.
        const auto unused = static_cast<std::uint32_t>(std::ranges::find(used, false) - used.begin());
        used[unused] = true;
        scatters_.add_filling(unused);
      }
    }
    slot_begin_.push_back(scatter_slots());
  }
}

void FactorLists::add_fours(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights) {
  first_four_.push_back(static_cast<std::uint32_t>(four_begin_.size() - 1));
  const std::size_t before = fours_.vertex.size();
  for (std::size_t first = 0; first < rows.size(); first += rows_a_four) {
    const auto four = std::span(rows).subspan(first, std::min<std::size_t>(rows_a_four, rows.size() - first));
    const auto size = [](const std::vector<Element>& row) { return row.size(); };
    const std::size_t longest = size(*std::ranges::max_element(four, {}, size));
    for (std::size_t edge = 0; edge < longest; edge += 2) {
      for (std::size_t row = 0; row < rows_a_four; ++row) {
        for (std::size_t k = edge; k < edge + 2; ++k) {
          if (row < four.size() && k < four[row].size()) {
            fours_.add(four[row][k].vertex, records[four[row][k].edge], weights[four[row][k].edge]);
          } else {
            fours_.add_filling(no_end);
          }
        }
      }
    }
    four_begin_.push_back(static_cast<std::uint32_t>(fours_.vertex.size() / (2 * rows_a_four)));
  }
  if (!rows.empty()) last_elements_ = fours_.vertex.size() - before;
}

void FactorLists::add_spots(const Rows& rows, std::span<const std::uint32_t> records, std::span<const float> weights) {
  const float largest = weights.empty() ? 0 : *std::ranges::max_element(weights);
  const double scale = power_above(static_cast<double>(largest));
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    for (const Element& element : rows[row]) {
      spots_.add(row | element.vertex << 16, records[element.edge],
                 static_cast<float>(static_cast<double>(weights[element.edge]) / scale));
    }
  }
  spot_begin_.push_back(static_cast<std::uint32_t>(spots_.vertex.size()));
  spot_scale_.push_back(static_cast<float>(scale));
}

std::size_t FactorLists::bands() const {
  if (!forms_.bands) return 0;
  // A kernel that is 0 within the error has no factor: one that is 0 then stands for it, and the product is written.
  return std::max<std::size_t>(1, (forms_.factors->rank + band_factors - 1) / band_factors);
}

std::size_t FactorLists::chunks() const {
  if (forms_.chunk == 0) return 0;
  return std::max<std::size_t>(1, (forms_.factors->rank + forms_.chunk - 1) / forms_.chunk);
}

std::size_t FactorLists::bytes() const {
  const std::size_t entry_words = entries_.vertex.size() * chunks() * (forms_.chunk + 1);
  const std::size_t records = (walks_.vertex.size() + scatters_.vertex.size()) * bands();
  const std::size_t spot_words = spots_.vertex.size() * (1 + (forms_.spots ? forms_.factors->rank : 0));
  return sizeof(std::uint32_t) * (entry_words + spot_words + records * band_quads * words_a_quad + row_begin_.size() +
                                  3 * fours_.vertex.size() / 2 + four_begin_.size() + first_four_.size() +
                                  walk_begin_.size() + slot_begin_.size() + first_walk_.size() + first_slots_.size());
}

float FactorLists::factor(const List& list, std::size_t element, std::size_t k) const {
  const Factors& factors = *forms_.factors;
  if (list.record[element] == filling || k >= factors.rank) return 0;
  return static_cast<float>(static_cast<double>(list.weight[element]) *
                            factors.values[list.record[element] * factors.rank + k]);
}

std::vector<std::uint32_t> FactorLists::four_ends() const {
  std::vector<std::uint32_t> words;
  words.reserve(fours_.vertex.size() / 2);
  for (std::size_t e = 0; e < fours_.vertex.size(); e += 2) {
    words.push_back(fours_.vertex[e] | fours_.vertex[e + 1] << 16);
  }
  return words;
}

std::vector<float> FactorLists::four_factors() const {
  std::vector<float> factors;
  factors.reserve(fours_.vertex.size());
  for (std::size_t e = 0; e < fours_.vertex.size(); ++e) factors.push_back(factor(fours_, e, 0));
  return factors;
}

std::vector<std::uint32_t> FactorLists::entry_words() const {
  std::vector<std::uint32_t> words;
  words.reserve(entries_.vertex.size() * chunks() * (forms_.chunk + 1));
  for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
    for (std::size_t e = 0; e < entries_.vertex.size(); ++e) {
      for (std::size_t k = 0; k < forms_.chunk; ++k) {
        words.push_back(std::bit_cast<std::uint32_t>(factor(entries_, e, chunk * forms_.chunk + k)));
      }
      words.push_back(entries_.vertex[e]);
    }
  }
  return words;
}

std::vector<std::uint32_t> FactorLists::walk_words() const { return band_words(walks_, walk_lanes); }

std::vector<std::uint32_t> FactorLists::scatter_words() const { return band_words(scatters_, scatter_lanes); }

/// Band by band, step by step, quad by quad the words of each lane.
std::vector<std::uint32_t> FactorLists::band_words(const List& list, std::size_t lanes) const {
  std::vector<std::uint32_t> words;
  words.reserve(list.vertex.size() * bands() * band_quads * words_a_quad);
  for (std::size_t band = 0; band < bands(); ++band) {
    for (std::size_t step = 0; step < list.vertex.size() / lanes; ++step) {
      for (std::size_t quad = 0; quad < band_quads; ++quad) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const std::size_t element = step * lanes + lane;
          for (std::size_t word = 0; word < words_a_quad; ++word) {
            const std::size_t number = quad * words_a_quad + word;
            words.push_back(
                number == 0 ? list.vertex[element]
                            : std::bit_cast<std::uint32_t>(factor(list, element, band * band_factors + number - 1)));
          }
        }
      }
    }
  }
  return words;
}

std::vector<std::uint32_t> FactorLists::spot_words() const {
  const std::vector<float> squares = factor_squares(*forms_.factors);
  std::vector<std::uint32_t> words;
  words.reserve(spots_.vertex.size() * squares.size());
  for (std::size_t k = 0; k < squares.size(); ++k) {
    const double scale = 1 / std::sqrt(double(squares[k]));
    for (std::size_t e = 0; e < spots_.vertex.size(); ++e) {
      const double value = scale * double(factor(spots_, e, k));
      const std::uint16_t high = bits_of_half(value);
      words.push_back(high | std::uint32_t{bits_of_half(value - value_of_half(high))} << 16);
    }
  }
  return words;
}

std::uint16_t bits_of_half(double x) {
  // The last bit is 2^-10 of the leading one, or, of small numbers, 2^-24.
  const int exponent = x == 0 ? -14 : std::max(std::ilogb(x), -14);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(std::abs(x), 10 - exponent)));
  return static_cast<std::uint16_t>((std::signbit(x) ? 0x8000 : 0) + ((exponent + 14) << 10) + steps);
}

std::vector<float> factor_levels(const Factors& factors) {
  std::vector<float> levels;
  for (std::size_t k = 0; k < factors.rank; ++k) {
    levels.push_back(static_cast<float>(factors.errors[k] / dense_relaxation));
  }
  return levels;
}

std::vector<float> factor_squares(const Factors& factors) {
  std::vector<double> largest(factors.rank);
  for (std::size_t v = 0; v < factors.values.size(); ++v) {
    largest[v % factors.rank] = std::max(largest[v % factors.rank], std::abs(factors.values[v]));
  }
  std::vector<float> squares;
  squares.reserve(largest.size());
  for (const double value : largest) squares.push_back(static_cast<float>(power_above(value) * power_above(value)));
  return squares;
}

std::vector<float> level_slack(const Factors& factors) {
  std::vector<float> slack;
  for (std::size_t rank = 0; rank < std::max<std::size_t>(factors.rank, 1);) {
    const std::size_t band = slack.size() / band_quads;
    rank = band * band_factors + static_cast<std::size_t>(factors_in(static_cast<int>(slack.size() % band_quads) + 1));
    const double error = rank >= factors.rank ? 0 : factors.errors[rank] / relaxation;
    slack.push_back(static_cast<float>(error * error));
  }
  return slack;
}

}  // namespace octile::cuda
