// SPDX-License-Identifier: BSD-3-Clause
#include <octile/part_gains.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace octile::reorder {
namespace {

std::size_t index(std::int32_t vertex) { return static_cast<std::size_t>(vertex); }

}  // namespace

PartGains::PartGains(const Hypergraph& hypergraph)
    : hypergraph_(&hypergraph),
      net_list_begin_(index(hypergraph.vertices) + 1, 0),
      net_list_(hypergraph.pins.size()),
      part_(index(hypergraph.vertices), 1),
      pins_in_(hypergraph.net_count()),
      gain_(index(hypergraph.vertices)),
      locked_(index(hypergraph.vertices)),
      rank_(index(hypergraph.vertices)) {
  for (const std::int32_t pin : hypergraph.pins) ++net_list_begin_[index(pin) + 1];
  std::partial_sum(net_list_begin_.begin(), net_list_begin_.end(), net_list_begin_.begin());
  std::vector<std::size_t> next(net_list_begin_.begin(), net_list_begin_.end() - 1);
  for (std::size_t net = 0; net < hypergraph.net_count(); ++net) {
    for (const std::int32_t pin : hypergraph.net(net)) net_list_[next[index(pin)]++] = net;
  }
  std::iota(rank_.begin(), rank_.end(), 0U);
  compute_gains();
}

void PartGains::assign(const std::vector<std::uint8_t>& part) {
  part_ = part;
  compute_gains();
}

void PartGains::compute_gains() {
  const Hypergraph& graph = *hypergraph_;
  left_count_ = static_cast<std::int32_t>(std::ranges::count(part_, std::uint8_t{0}));
  std::ranges::fill(gain_, 0);
  cut_ = 0;
  for (std::size_t net = 0; net < graph.net_count(); ++net) {
    pins_in_[net] = {0, 0};
    for (const std::int32_t pin : graph.net(net)) ++pins_in_[net][part_[index(pin)]];
    if (pins_in_[net][0] > 0 && pins_in_[net][1] > 0) cut_ += graph.costs[net];
    for (const std::int32_t pin : graph.net(net)) {
      const std::uint8_t from = part_[index(pin)];
      if (pins_in_[net][from] == 1) gain_[index(pin)] += graph.costs[net];
      if (pins_in_[net][1 - from] == 0) gain_[index(pin)] -= graph.costs[net];
    }
  }
}

void PartGains::unlock(Random& random) {
  locked_.assign(locked_.size(), false);
  random.shuffle(rank_);
  std::array<std::vector<Candidate>, 2> all;
  for (std::int32_t vertex = 0; vertex < hypergraph_->vertices; ++vertex) {
    all[part_[index(vertex)]].push_back({gain_[index(vertex)], rank_[index(vertex)], vertex});
  }
  for (const std::size_t side : {0, 1}) {
    candidates_[side] = std::priority_queue<Candidate>(std::less<Candidate>(), std::move(all[side]));
  }
}

std::optional<std::int32_t> PartGains::best(std::uint8_t part) {
  auto& queue = candidates_[part];
  while (!queue.empty()) {
    const Candidate& top = queue.top();
    if (!locked_[index(top.vertex)] && part_[index(top.vertex)] == part && gain_[index(top.vertex)] == top.gain) {
      return top.vertex;
    }
    queue.pop();
  }
  return std::nullopt;
}

void PartGains::move(std::int32_t vertex) {
  locked_[index(vertex)] = true;
  shift(vertex, true);
}

void PartGains::add_gain(std::int32_t vertex, std::int64_t change, bool keep_candidate) {
  gain_[index(vertex)] += change;
  if (keep_candidate && !locked_[index(vertex)]) {
    candidates_[part_[index(vertex)]].push({gain_[index(vertex)], rank_[index(vertex)], vertex});
  }
}

void PartGains::shift(std::int32_t vertex, bool keep_candidates) {
  const Hypergraph& graph = *hypergraph_;
  const std::uint8_t from = part_[index(vertex)];
  const std::uint8_t to = 1 - from;
  cut_ -= gain_[index(vertex)];
  gain_[index(vertex)] = -gain_[index(vertex)];
  part_[index(vertex)] = to;
  left_count_ += to == 0 ? 1 : -1;
  for (std::size_t k = net_list_begin_[index(vertex)]; k < net_list_begin_[index(vertex) + 1]; ++k) {
    const std::size_t net = net_list_[k];
    const std::int64_t cost = graph.costs[net];
    const std::int32_t to_before = pins_in_[net][to]++;
    const std::int32_t from_after = --pins_in_[net][from];
    // Gains change only by nets that the move of a single vertex can cut or make whole.
    if (to_before > 1 && from_after > 1) continue;
    for (const std::int32_t pin : graph.net(net)) {
      if (pin == vertex) continue;
      std::int64_t change = 0;
      if (to_before == 0) change += cost;                                // was whole, is cut
      if (to_before == 1 && part_[index(pin)] == to) change -= cost;     // no longer alone over there
      if (from_after == 0) change -= cost;                               // is whole again
      if (from_after == 1 && part_[index(pin)] == from) change += cost;  // the last one here
      if (change != 0) add_gain(pin, change, keep_candidates);
    }
  }
}

}  // namespace octile::reorder
