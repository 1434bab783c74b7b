// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/exact_factors.hpp>

#include <octile/base/unit_roundoff.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/certify/factored_product.hpp>
#include <octile/certify/padded_factors.hpp>
#include <octile/error.hpp>
#include <octile/kernels/factors.hpp>
#include <octile/pairs/prices.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace octile {
namespace {

/// Bytes that factors may take.
constexpr std::size_t most_bytes = std::size_t(256) << 20;

/// Up to how many factors are cheaper than a walk. With e edges and n vertices a graph, a walk sees e² pairs of edges, and factors take
/// 4 e n products each.
std::size_t most_factors(const ExactGraphs& graphs, const LoweredKernel& edge) {
  const auto edges = static_cast<double>(graphs.ends.size());
  const auto vertices = static_cast<double>(graphs.degrees.size());
  const double of_pair = edge.constant() || edge.tabulated() ? walk_prices.looked_up : walk_prices.evaluated;
  const double most = edges / vertices * of_pair / (4 * walk_prices.multiplied);
  const double fit = static_cast<double>(most_bytes) / (sizeof(double) * std::max(2 * edges, 1.0));
  return static_cast<std::size_t>(std::min({most, fit, static_cast<double>(factor_limit)}));
}

std::optional<Factors> factors_of(const LoweredKernel& edge, double error, std::size_t most) {
  try {
    return factorize(edge, error, most);
  } catch (const Error&) {
    return {};  // rounding may hide that a kernel is semidefinite
  }
}

}  // namespace

std::optional<FactorsOfRows> factors_of_rows(const ExactGraphs& graphs, const LoweredKernel& edge, double amplification,
                                             const RoundingOfWalk& walk, const UnknownByFactors& allowed,
                                             std::size_t most, bool fewer_of_y) {
  // Where p is 0 on a vertex, nothing is relative to p×.
  if (most == 0 || graphs.ends.empty() || !(allowed.x > 0) || !(amplification > 0) || !std::isfinite(amplification) ||
      !std::isfinite(walk.y_over_x)) {
    return {};
  }
  const double least = std::min(allowed.x, allowed.y / walk.y_over_x);
  std::optional<Factors> factors = factors_of(edge, 0.5 * least / amplification, most);
  if (!factors || factors->sparse() || factors->rank == 0) return {};
  const double neighbours = *std::ranges::max_element(graphs.neighbours);
  // What the first k factors leave unknown of A× x. The first sums are of a vertex' edges, the second of as many times the factors;
  // |Σ_k φ_k φ_k'| ≤ 1, term by term.
  const auto unknown = [&](std::size_t k) {
    const double roundings = neighbours + neighbours * static_cast<double>(k) + 2 * operations_of_row;
    return amplification * 1.0001 * (factors->errors[k] + roundings * unit_roundoff);
  };
  const double of_x = unknown(factors->rank);
  if (!(of_x <= least)) return {};
  std::size_t fewer = fewer_of_y ? 1 : factors->rank;
  while (fewer < factors->rank && !(unknown(fewer) * walk.y_over_x <= allowed.y)) ++fewer;
  fewer = std::min(static_cast<std::size_t>(padded_factors(static_cast<int>(fewer))), factors->rank);
  const double of_y = unknown(fewer);
  SystemRounding rounding = walk.rounding;
  rounding.beyond_x += of_x;
  rounding.beyond_y += of_y * walk.y_over_x;
  rounding.beyond_sums_of_y += of_y;
  return FactorsOfRows{std::move(*factors), rounding, fewer};
}

ExactFactors::ExactFactors(const ExactGraphs& graphs, const LoweredKernel& edge, double amplification,
                           const RoundingOfWalk& walk, const UnknownByFactors& allowed) {
  if (graphs.ends.empty()) return;
  const std::optional<FactorsOfRows> found =
      factors_of_rows(graphs, edge, amplification, walk, allowed, most_factors(graphs, edge), true);
  if (!found) return;
  rounding_ = found->rounding;
  rank_ = padded_factors(static_cast<int>(found->factors.rank));
  rank_of_y_ = padded_factors(static_cast<int>(found->fewer));
  lay_out(graphs, edge, found->factors.values, found->factors.rank);
}

void ExactFactors::lay_out(const ExactGraphs& graphs, const LoweredKernel& edge, std::span<const double> factors,
                           std::size_t rank) {
  const auto pitch = static_cast<std::size_t>(rank_);
  row_begin_.assign(1, 0);
  for (const std::int32_t count : graphs.neighbours) {
    row_begin_.push_back(row_begin_.back() + static_cast<std::uint32_t>(count));
  }
  columns_.resize(row_begin_.back());
  factors_.resize(pitch * columns_.size());
  std::vector<std::uint32_t> next(row_begin_.begin(), row_begin_.end() - 1);
  for (std::size_t g = 0; g + 1 < graphs.vertex_begin.size(); ++g) {
    for (std::size_t e = graphs.edge_begin[g]; e < graphs.edge_begin[g + 1]; ++e) {
      const double* const of_record = factors.data() + edge.ids[g][e - graphs.edge_begin[g]] * rank;
      const auto add = [&](std::int32_t from, std::int32_t to) {
        const std::size_t place = next[graphs.vertex_begin[g] + static_cast<std::size_t>(from)]++;
        columns_[place] = static_cast<std::uint32_t>(to);
        for (std::size_t k = 0; k < rank; ++k) factors_[place * pitch + k] = graphs.weights[e] * of_record[k];
      };
      add(graphs.ends[e].i, graphs.ends[e].j);
      add(graphs.ends[e].j, graphs.ends[e].i);
    }
  }
}

void ExactFactors::multiply(int rank, const Operand& of, std::vector<double>& work) const {
  const std::size_t room = factored_work<double>(of.n, of.m, static_cast<std::size_t>(rank));
  if (work.size() < room) work.resize(room);
  const auto rows = [&](std::size_t vertex) {
    return FactoredRows<double>{row_begin_.data() + vertex, columns_.data(), factors_.data(), rank, rank_};
  };
  factored_product(rows(of.first), rows(of.second), static_cast<int>(of.n), static_cast<int>(of.m), of.values,
                   of.product, work.data());
}

}  // namespace octile
