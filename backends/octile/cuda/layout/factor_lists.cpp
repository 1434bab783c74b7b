// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/layout/factor_lists.hpp>

#include <octile/base/parallel.hpp>
#include <octile/base/parallel_fill.hpp>
#include <octile/graphs/rows.hpp>

#include <algorithm>
#include <array>
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

/// A number rounded to half precision, to nearest, ties to even: the bits of the half, and its value.
struct Half {
  std::uint32_t bits;
  double value;
};

Half half_of(double x) {
  constexpr double least_normal = 0x1p-14;
  constexpr double to_integer = 0x1p52;  // a sum with it is rounded to an integer
  // The last bit is 2^-10 of the leading bit, or 2^-24 for subnormals.
  constexpr int dropped = double_bits - half_bits;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(std::abs(x));
  std::uint64_t half = 0;
  double value = 0;
  if (std::abs(x) >= least_normal) {
    // Adds half of the last bit, or a little less if that bit is 0. A carry goes to the exponent.
    constexpr std::uint64_t almost_half = (std::uint64_t(1) << (dropped - 1)) - 1;
    half = (bits + almost_half + (bits >> dropped & 1)) >> dropped;
    value = std::bit_cast<double>(half << dropped);
    half -= std::uint64_t(double_bias - half_bias) << half_bits;
  } else {
    const double spacings = (std::abs(x) / least_half + to_integer) - to_integer;
    half = static_cast<std::uint64_t>(spacings);
    value = spacings * least_half;
  }
  return {static_cast<std::uint32_t>(half) | (std::signbit(x) ? 0x8000U : 0U), std::copysign(value, x)};
}

/// A_ij φ_k of an element.
float weighed(float weight, double factor) { return static_cast<float>(static_cast<double>(weight) * factor); }

/// Elements whose words a host thread writes at a time.
constexpr std::size_t elements_at_once = 2048;

/// Appends offsets to `begins`. Both lists start with 0, and those of `more` count from the end of `begins`.
void append_offsets(std::vector<std::uint32_t>& begins, const std::vector<std::uint32_t>& more) {
  const std::uint32_t first = begins.back();
  for (std::size_t k = 1; k < more.size(); ++k) begins.push_back(first + more[k]);
}

/// The smallest power of two that is not below the number; 1 for 0.
double power_above(double number) { return number > 0 ? std::exp2(std::ceil(std::log2(number))) : 1; }

}  // namespace

VertexOrder FactorLists::add(const Graph& graph, std::span<const std::uint32_t> records,
                             std::span<const float> weights) {
  const std::vector<std::vector<RowElement>> natural = rows_of(graph);
  const auto row_of = [&](std::int32_t vertex) -> const auto& { return natural[static_cast<std::size_t>(vertex)]; };
  VertexOrder order(natural.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return row_of(a).size() > row_of(b).size(); });
  std::vector<std::uint32_t> number(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) number[static_cast<std::size_t>(order[k])] = k;
  Rows rows(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const auto& [edge, column] : row_of(order[k])) rows[k].push_back({number[column], edge});
  }
  last_elements_ = 2 * graph.edge_count();
  if (forms_.chunk > 0) add_entries(rows, records, weights);
  if (forms_.fours) add_fours(order.size() <= most_in_strips ? rows : Rows(), records, weights);
  if (forms_.spots) add_spots(order.size() <= factored_sizes.back() ? rows : Rows(), records, weights);
  return order;
}

void FactorLists::append(std::span<const FactorLists* const> more) {
  for (const FactorLists* lists : more) append_begins(*lists);
  append_elements(more);
}

void FactorLists::append_elements(std::span<const FactorLists* const> more) {
  const auto append = [&](List FactorLists::*list, auto List::*array) {
    auto& all = this->*list.*array;
    std::size_t size = all.size();
    for (const FactorLists* lists : more) size += (lists->*list.*array).size();
    all.reserve(size);
    for (const FactorLists* lists : more) {
      const auto& part = lists->*list.*array;
      all.insert(all.end(), part.begin(), part.end());
    }
  };
  constexpr std::array lists{&FactorLists::entries_, &FactorLists::fours_, &FactorLists::spots_};
  in_parallel(3 * lists.size(), 1, [&](std::size_t k, std::size_t) {
    switch (k % 3) {
      case 0: return append(lists[k / 3], &List::vertex);
      case 1: return append(lists[k / 3], &List::record);
      default: return append(lists[k / 3], &List::weight);
    }
  });
}

void FactorLists::append_begins(const FactorLists& more) {
  append_offsets(row_begin_, more.row_begin_);
  // A graph's groups of four rows begin where those of the previous graphs end.
  const auto first_four = static_cast<std::uint32_t>(four_begin_.size() - 1);
  for (const std::uint32_t begin : more.first_four_) first_four_.push_back(first_four + begin);
  append_offsets(four_begin_, more.four_begin_);
  append_offsets(spot_begin_, more.spot_begin_);
  spot_scale_.insert(spot_scale_.end(), more.spot_scale_.begin(), more.spot_scale_.end());
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

UninitializedVector<std::uint32_t> FactorLists::four_ends() const {
  const auto word = [this](std::size_t k) { return fours_.vertex[2 * k] | fours_.vertex[2 * k + 1] << 16; };
  return fill_in_parallel<std::uint32_t>(fours_.vertex.size() / 2, elements_at_once, word);
}

UninitializedVector<float> FactorLists::four_factors() const {
  const Factors& factors = *forms_.factors;
  const auto factor = [&](std::size_t e) {
    if (fours_.record[e] == padding || factors.rank == 0) return 0.0F;
    return weighed(fours_.weight[e], factors.values[fours_.record[e] * factors.rank]);
  };
  return fill_in_parallel<float>(fours_.vertex.size(), elements_at_once, factor);
}

UninitializedVector<std::uint32_t> FactorLists::entry_words() const {
  const Factors& factors = *forms_.factors;
  const std::size_t count = entries_.vertex.size();
  const std::size_t each = forms_.chunk + 1;
  const std::size_t chunk_count = chunks();
  UninitializedVector<std::uint32_t> words(count * chunk_count * each);
  in_parallel(count, elements_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      // Padding has no factors. Neither has the last chunk beyond the rank.
      const bool real = entries_.record[e] != padding;
      const double* const phi = real ? factors.values.data() + entries_.record[e] * factors.rank : nullptr;
      for (std::size_t chunk = 0; chunk < chunk_count; ++chunk) {
        std::uint32_t* const entry = &words[(chunk * count + e) * each];
        for (std::size_t k = 0; k < forms_.chunk; ++k) {
          const std::size_t number = chunk * forms_.chunk + k;
          const float factor = real && number < factors.rank ? weighed(entries_.weight[e], phi[number]) : 0.0F;
          entry[k] = std::bit_cast<std::uint32_t>(factor);
        }
        entry[forms_.chunk] = entries_.vertex[e];
      }
    }
  });
  return words;
}

UninitializedVector<std::uint32_t> FactorLists::spot_words(std::span<const float> squares) const {
  const Factors& factors = *forms_.factors;
  const std::size_t count = spots_.vertex.size();
  std::vector<double> scales;
  for (const float square : squares) scales.push_back(1 / std::sqrt(double(square)));
  UninitializedVector<std::uint32_t> words(count * scales.size());
  in_parallel(count, elements_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const double* const phi = factors.values.data() + spots_.record[e] * factors.rank;
      for (std::size_t k = 0; k < scales.size(); ++k) {
        const double value = scales[k] * double(weighed(spots_.weight[e], phi[k]));
        const Half high = half_of(value);
        words[k * count + e] = high.bits | half_of(value - high.value).bits << 16;
      }
    }
  });
  return words;
}

std::uint16_t bits_of_half(double x) { return static_cast<std::uint16_t>(half_of(x).bits); }

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
