// SPDX-License-Identifier: BSD-3-Clause
#include <octile/plan/pairwise.hpp>

#include <octile/kernels/factors.hpp>

#include <algorithm>
#include <map>

namespace octile::plan {
namespace {

/// Choosing by pair must cost at most this part of the better of the two other ways. Predictions are off by a few
/// percent, so a smaller gain is not worth the memory.
constexpr double largest_part = 0.95;

}  // namespace

bool PairwiseTotals::by_pair_pays() const { return by_pair < largest_part * std::min(by_element, factored); }

PairwiseLowering::PairwiseLowering(const CostModel& set, const LoweringCosts& costs, const LoweredKernel& edge)
    : model_(set), costs_(costs), element_price_(costs.element_price(edge)) {
  std::map<CostModel::Size, std::size_t> places;
  for (std::size_t g = 0; g < set.graph_count(); ++g) {
    const auto graph = static_cast<std::int32_t>(g);
    const auto [place, added] = places.try_emplace(model_.size(graph), shapes_.size());
    if (added) shapes_.push_back({graph, 0});
    ++shapes_[place->second].count;
  }
}

PairwiseTotals PairwiseLowering::totals(std::size_t terms, bool sparse) const {
  PairwiseTotals totals;
  double pairs = 0;
  double taken = 0;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    for (std::size_t j = i; j < shapes_.size(); ++j) {
      const double ordered = shapes_[i].count * shapes_[j].count;
      const double count = i == j ? (ordered + shapes_[i].count) / 2 : ordered;
      const PairSums sums = model_.sums({shapes_[i].graph, shapes_[j].graph});
      const double by_element = costs_.by_element(element_price_, sums);
      const double factored = costs_.factored(terms, sparse, sums);
      totals.by_element += count * by_element;
      totals.factored += count * factored;
      totals.by_pair += count * std::min(by_element, factored);
      pairs += count;
      if (factored < by_element) taken += count;
    }
  }
  totals.share = taken / pairs;
  return totals;
}

std::size_t PairwiseLowering::largest_rank() const {
  // Costs rise with the rank, so a binary search finds the largest one that pays.
  const auto pays = [this](std::size_t rank) {
    const PairwiseTotals at = totals(rank, false);
    return at.by_pair < largest_part * at.by_element;
  };
  std::size_t least = 0;
  std::size_t most = factor_limit;
  while (least < most) {
    const std::size_t middle = (least + most + 1) / 2;
    if (pays(middle)) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

}  // namespace octile::plan
