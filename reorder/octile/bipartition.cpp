// SPDX-License-Identifier: BSD-3-Clause
#include <octile/bipartition.hpp>

#include <octile/part_gains.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace octile::reorder {
namespace {

/// Grows the left part from a random vertex, each time by the vertex that saves most.
void grow(PartGains& state, std::int32_t left, Random& random) {
  const auto n = static_cast<std::int32_t>(state.part().size());
  state.assign(std::vector<std::uint8_t>(static_cast<std::size_t>(n), 1));
  state.unlock(random);
  if (left > 0) state.move(random.below(n));
  while (state.left_count() < left) state.move(*state.best(1));
}

/// How far the left part may be from its size during a pass: enough for moves that pay only together.
std::int32_t slack_of(std::int32_t n) { return std::max(1, n / 24); }

/// The vertex to move next: the best of a part that may lose one.
std::optional<std::int32_t> next_move(PartGains& state, std::int32_t left, std::int32_t slack) {
  std::optional<std::int32_t> chosen;
  const std::int32_t surplus = state.left_count() - left;
  for (const std::uint8_t part : {std::uint8_t{0}, std::uint8_t{1}}) {
    const std::int32_t after = part == 0 ? surplus - 1 : surplus + 1;
    if (std::abs(after) > slack) continue;
    const std::optional<std::int32_t> candidate = state.best(part);
    if (!candidate) continue;
    if (!chosen || state.gain(*candidate) > state.gain(*chosen) ||
        (state.gain(*candidate) == state.gain(*chosen) && (part == 1) == (surplus < 0))) {
      chosen = candidate;
    }
  }
  return chosen;
}

/// Does one pass; returns whether it lowered the cut.
bool refine(PartGains& state, std::int32_t left, Random& random) {
  const std::int32_t slack = slack_of(static_cast<std::int32_t>(state.part().size()));
  const std::int64_t before = state.cut();
  std::int64_t best_cut = before;
  std::vector<std::int32_t> moved;
  std::size_t kept = 0;
  state.unlock(random);
  while (const std::optional<std::int32_t> vertex = next_move(state, left, slack)) {
    state.move(*vertex);
    moved.push_back(*vertex);
    if (state.left_count() == left && state.cut() < best_cut) {
      best_cut = state.cut();
      kept = moved.size();
    }
  }
  for (; moved.size() > kept; moved.pop_back()) state.undo(moved.back());
  return best_cut < before;
}

}  // namespace

std::vector<std::uint8_t> bipartition(const Hypergraph& hypergraph, std::int32_t left, Random& random,
                                      const BipartitionEffort& effort) {
  PartGains state(hypergraph);
  std::vector<std::uint8_t> best;
  std::int64_t best_cut = 0;
  for (int start = 0; start < effort.starts; ++start) {
    grow(state, left, random);
    for (int pass = 0; pass < effort.passes && refine(state, left, random); ++pass) {
    }
    if (best.empty() || state.cut() < best_cut) {
      best = state.part();
      best_cut = state.cut();
    }
    if (best_cut == 0) break;
  }
  return best;
}

std::int64_t cut_cost(const Hypergraph& hypergraph, const std::vector<std::uint8_t>& part) {
  std::int64_t cost = 0;
  for (std::size_t net = 0; net < hypergraph.net_count(); ++net) {
    const auto pins = hypergraph.net(net);
    const auto on_left = [&part](std::int32_t pin) { return part[static_cast<std::size_t>(pin)] == 0; };
    const auto left = std::ranges::count_if(pins, on_left);
    if (left > 0 && left < static_cast<std::ptrdiff_t>(pins.size())) cost += hypergraph.costs[net];
  }
  return cost;
}

}  // namespace octile::reorder
