// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/layout/factor_lists.hpp>

#include <octile/graph_rows.hpp>
#include <octile/parallel.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace octile::cuda {
namespace {

/// The factors left out of an iteration may change the residual by about this many tolerances, since CG's step lengths
/// are about 1. If the changes add up to more, the recomputed residual shows it.
constexpr double relaxation = 2;

/// Bits of the mantissa, and bias of the exponent, of half and of double precision.
constexpr int half_bits = 10;
constexpr int double_bits = 52;
constexpr int half_bias = 15;
constexpr int double_bias = 1023;
/// The smallest half, and the spacing of halves below 2^-14 (subnormals).
constexpr double least_half = 0x1p-24;

double value_of_half(std::uint16_t bits) {
  const std::uint64_t exponent = bits >> half_bits & 0x1F;
  const std::uint64_t mantissa = bits & 0x3FF;
  const double magnitude = exponent == 0 ? static_cast<double>(mantissa) * least_half
                                         : std::bit_cast<double>((exponent + (double_bias - half_bias)) << double_bits |
                                                                 mantissa << (double_bits - half_bits));
  return bits >> 15 == 0 ? magnitude : -magnitude;
}

/// Elements whose words a host thread writes at a time.
constexpr std::size_t elements_at_once = 2048;

/// Appends offsets to `begins`. Both lists start with 0, and those of `more` count from the end of `begins`.
void append_begins(std::vector<std::uint32_t>& begins, const std::vector<std::uint32_t>& more) {
  const std::uint32_t first = begins.back();
  for (std::size_t k = 1; k < more.size(); ++k) begins.push_back(first + more[k]);
}

/// The smallest power of two that is not below the number; 1 for 0.
double power_above(double number) { return number > 0 ? std::exp2(std::ceil(std::log2(number))) : 1; }

}  // namespace

std::vector<std::uint32_t> FactorLists::add(const Graph& graph, std::span<const std::uint32_t> records,
                                            std::span<const float> weights) {
  const std::vector<std::vector<RowElement>> natural = rows_of(graph);
  std::vector<std::uint32_t> order(natural.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return natural[a].size() > natural[b].size(); });
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
  return order;
}

void FactorLists::List::append(const List& more) {
  vertex.insert(vertex.end(), more.vertex.begin(), more.vertex.end());
  record.insert(record.end(), more.record.begin(), more.record.end());
  weight.insert(weight.end(), more.weight.begin(), more.weight.end());
}

void FactorLists::append(const FactorLists& more) {
  append_begins(row_begin_, more.row_begin_);
  // A graph's groups of four rows begin where those of the previous graphs end.
  const auto first_four = static_cast<std::uint32_t>(four_begin_.size() - 1);
  for (const std::uint32_t begin : more.first_four_) first_four_.push_back(first_four + begin);
  append_begins(four_begin_, more.four_begin_);
  append_begins(spot_begin_, more.spot_begin_);
  spot_scale_.insert(spot_scale_.end(), more.spot_scale_.begin(), more.spot_scale_.end());
  entries_.append(more.entries_);
  fours_.append(more.fours_);
  spots_.append(more.spots_);
  last_elements_ = more.last_elements_;
}

void FactorLists::add_entries(const Rows& rows, std::span<const std::uint32_t> records,
                              std::span<const float> weights) {
  const std::size_t before = entries_.vertex.size();
  for (const std::vector<Element>& row : rows) {
    for (const Element& element : row) {
      entries_.add(element.vertex, records[element.edge], weights[element.edge]);
    }
    if (row.size() % 2 == 1) entries_.add_padding(0);
    row_begin_.push_back(static_cast<std::uint32_t>(entries_.vertex.size()));
  }
  last_elements_ = entries_.vertex.size() - before;
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
            fours_.add_padding(no_end);
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

std::size_t FactorLists::chunks() const {
  if (forms_.chunk == 0) return 0;
  // A kernel that is 0 within the error has no factors. It gets one chunk of zeros, so that the product writes its result.
  return std::max<std::size_t>(1, (forms_.factors->rank + forms_.chunk - 1) / forms_.chunk);
}

std::size_t FactorLists::bytes() const {
  const std::size_t entry_words = entries_.vertex.size() * chunks() * (forms_.chunk + 1);
  const std::size_t spot_words = spots_.vertex.size() * (1 + (forms_.spots ? forms_.factors->rank : 0));
  return sizeof(std::uint32_t) * (entry_words + spot_words + row_begin_.size() + 3 * fours_.vertex.size() / 2 +
                                  four_begin_.size() + first_four_.size());
}

float FactorLists::factor(const List& list, std::size_t element, std::size_t k) const {
  const Factors& factors = *forms_.factors;
  if (list.record[element] == padding || k >= factors.rank) return 0;
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
  const std::size_t count = entries_.vertex.size();
  const std::size_t each = forms_.chunk + 1;
  std::vector<std::uint32_t> words(count * chunks() * each);
  in_parallel(count, elements_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
      for (std::size_t e = begin; e < end; ++e) {
        std::uint32_t* const entry = &words[(chunk * count + e) * each];
        for (std::size_t k = 0; k < forms_.chunk; ++k) {
          entry[k] = std::bit_cast<std::uint32_t>(factor(entries_, e, chunk * forms_.chunk + k));
        }
        entry[forms_.chunk] = entries_.vertex[e];
      }
    }
  });
  return words;
}

std::vector<std::uint32_t> FactorLists::spot_words() const {
  const std::vector<float> squares = factor_squares(*forms_.factors);
  const std::size_t count = spots_.vertex.size();
  std::vector<std::uint32_t> words(count * squares.size());
  in_parallel(count, elements_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < squares.size(); ++k) {
      const double scale = 1 / std::sqrt(double(squares[k]));
      for (std::size_t e = begin; e < end; ++e) {
        const double value = scale * double(factor(spots_, e, k));
        const std::uint16_t high = bits_of_half(value);
        words[k * count + e] = high | std::uint32_t{bits_of_half(value - value_of_half(high))} << 16;
      }
    }
  });
  return words;
}

std::uint16_t bits_of_half(double x) {
  // The last bit is 2^-10 of the leading bit, or 2^-24 for subnormals.
  constexpr int dropped = double_bits - half_bits;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(x));
  std::uint64_t half = 0;
  if (bits >> double_bits > double_bias - half_bias) {
    // Rounds to nearest, ties to even: adds half of the last bit, or a little less if that bit is 0. A carry goes to the exponent.
    constexpr std::uint64_t almost_half = (std::uint64_t(1) << (dropped - 1)) - 1;
    half = ((bits + almost_half + (bits >> dropped & 1)) >> dropped) -
           (std::uint64_t(double_bias - half_bias) << half_bits);
  } else {
    half = static_cast<std::uint64_t>(std::nearbyint(std::abs(x) / least_half));
  }
  return static_cast<std::uint16_t>(half | (std::signbit(x) ? 0x8000 : 0));
}

std::vector<float> factor_levels(const Factors& factors) {
  std::vector<float> levels;
  for (std::size_t k = 0; k < factors.rank; ++k) {
    levels.push_back(static_cast<float>(factors.errors[k] / relaxation));
  }
  return levels;
}

std::vector<float> factor_squares(const Factors& factors) {
  std::vector<double> largest(factors.rank);
  for (std::size_t first = 0; first < factors.values.size(); first += factors.rank) {
    for (std::size_t k = 0; k < factors.rank; ++k) {
      largest[k] = std::max(largest[k], std::abs(factors.values[first + k]));
    }
  }
  std::vector<float> squares;
  squares.reserve(largest.size());
  for (const double value : largest) squares.push_back(static_cast<float>(power_above(value) * power_above(value)));
  return squares;
}

}  // namespace octile::cuda
