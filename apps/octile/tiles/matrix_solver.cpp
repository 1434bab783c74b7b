// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/matrix_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <type_traits>

#include <octile/batch_runner.hpp>
#include <octile/error.hpp>

#include "tiles/result_memory.hpp"

namespace octile::app {

GramOptions MatrixSolver::options_of(const MatrixRequest& request, const Tiling& tiling) {
  GramOptions options = request.options;
  const std::size_t tile =
      std::min(tiling.edge(), tiling.rows()) * std::min(tiling.edge(), tiling.columns()) * bytes_of_place;
  options.memory = memory_beside_tile(request.graphs.size(), options.normalize, tile, options.memory);
  check_largest_pair(request.graphs, *request.kernel, options.memory);
  return options;
}

MatrixSolver::MatrixSolver(const MatrixRequest& request, const Tiling& tiling)
    : request_(request),
      tiling_(tiling),
      set_(request.graphs, options_of(request, tiling)),
      solver_(set_, *request.kernel) {}

std::vector<bool> MatrixSolver::graphs_of(std::span<const std::size_t> tiles) const {
  std::vector<bool> wanted(set_.size());
  for (const std::size_t number : tiles) {
    const Block wants = block(tiling_.tile(number));
    for (const GraphRange range : {wants.rows, wants.columns}) {
      std::fill(wanted.begin() + range.begin, wanted.begin() + range.end, true);
    }
  }
  return wanted;
}

void MatrixSolver::expect(std::span<const std::size_t> tiles, const Share& share) {
  for (const std::size_t number : tiles) solver_.expect(block(tiling_.tile(number)));
  if (!request_.options.normalize || !own_.empty()) return;
  const std::vector<bool> wanted = graphs_of(tiles);
  std::vector<Pair> pairs;
  for (std::int32_t g = 0; g < static_cast<std::int32_t>(set_.size()); ++g) {
    if (wanted[static_cast<std::size_t>(g)]) pairs.push_back({g, g});
  }
  solve_own(pairs, share);
}

void MatrixSolver::solve_own() {
  std::vector<Pair> pairs;
  pairs.reserve(set_.size());
  for (std::int32_t g = 0; g < static_cast<std::int32_t>(set_.size()); ++g) pairs.push_back({g, g});
  solve_own(pairs, {});
}

/// Each takes every so many-th pair, since graphs that follow each other are often of one size.
void MatrixSolver::solve_own(std::span<const Pair> pairs, const Share& share) {
  const auto share_of = [&](std::size_t number) {
    std::vector<Pair> some;
    for (std::size_t k = number; k < pairs.size(); k += share.count) some.push_back(pairs[k]);
    return some;
  };
  const Clock::time_point start = Clock::now();
  const std::vector<Pair> mine = share_of(share.number);
  solver_.expect(mine);
  std::vector<PairResult> results(mine.size());
  solver_.solve(mine, results);
  solve_seconds_ += seconds_since(start);
  std::vector<Pair> order = mine;
  if (share.count > 1) {
    static_assert(std::is_trivially_copyable_v<PairResult>);
    const auto bytes = std::as_bytes(std::span(results));
    const std::string all = share.join(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    order.clear();
    for (std::size_t number = 0; number < share.count; ++number)
      std::ranges::copy(share_of(number), std::back_inserter(order));
    if (all.size() != order.size() * sizeof(PairResult))
      throw Error("ranks do not agree on the pairs of graphs with themselves");
    results.resize(order.size());
    std::memcpy(results.data(), all.data(), all.size());
  }
  own_.resize(set_.size());
  for (std::size_t k = 0; k < order.size(); ++k) own_[static_cast<std::size_t>(order[k].first)] = results[k];
}

TileValues MatrixSolver::solve(const Tile& tile, Statistics& statistics) {
  const Clock::time_point start = Clock::now();
  const Block wanted = block(tile);
  const std::size_t refined = solver_.refined();
  results_.resize(wanted.places());
  solver_.solve(wanted, results_);
  statistics.add_refined(solver_.refined() - refined);
  TileValues formed = form_values(wanted, results_, own_, request_.written, statistics);
  if (request_.options.normalize && !tiling_.symmetric()) count_own(tile, wanted, statistics);
  solve_seconds_ += seconds_since(start);
  return formed;
}

void MatrixSolver::solve(std::span<const Pair> pairs, std::span<PairResult> results, Statistics& statistics) {
  const Clock::time_point start = Clock::now();
  const std::size_t refined = solver_.refined();
  solver_.expect(pairs);
  solver_.solve(pairs, results);
  statistics.add_refined(solver_.refined() - refined);
  solve_seconds_ += seconds_since(start);
}

void MatrixSolver::count_own(Statistics& statistics) const {
  for (std::size_t graph = 0; graph < own_.size(); ++graph) {
    if (tiling_.symmetric()) {
      statistics.add(graph, graph, own_[graph], 0);
    } else {
      statistics.add_own(graph, own_[graph]);
    }
  }
}

/// Each graph once: that of a row with the first tile of the row, that of a column with the first tile of the column.
void MatrixSolver::count_own(const Tile& tile, const Block& wanted, Statistics& statistics) const {
  const auto count = [&](GraphRange range) {
    for (std::int32_t g = range.begin; g < range.end; ++g) {
      const auto graph = static_cast<std::size_t>(g);
      statistics.add_own(graph, own_[graph]);
    }
  };
  if (tile.column == 0) count(wanted.rows);
  if (tile.row == 0) count(wanted.columns);
}

Prediction MatrixSolver::predict(std::span<const std::size_t> tiles) {
  constexpr double enough_seconds = 0.5;
  constexpr std::size_t growth = 2;
  constexpr std::size_t most_edge = 2048;
  double work_of_all = 0;
  for (const std::size_t number : tiles) work_of_all += work(tiling_.tile(number));
  if (request_.options.normalize) {
    const std::vector<bool> wanted = graphs_of(tiles);
    for (std::int32_t g = 0; g < static_cast<std::int32_t>(set_.size()); ++g) {
      if (wanted[static_cast<std::size_t>(g)]) work_of_all += set_.cost()({g, g});
    }
  }
  const auto all = static_cast<double>(tiling_.symmetric() ? set_.size() * (set_.size() + 1) / 2
                                                           : tiling_.rows() * tiling_.columns());
  const auto last_edge = std::min(static_cast<std::size_t>(std::max(std::sqrt(all), 1.0)), most_edge);
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int32_t> row(0, static_cast<std::int32_t>(tiling_.rows()) - 1);
  std::uniform_int_distribution<std::int32_t> column(0, static_cast<std::int32_t>(tiling_.columns()) - 1);
  const std::int32_t columns_begin = tiling_.symmetric() ? 0 : static_cast<std::int32_t>(tiling_.rows());
  const auto seconds_of = [&](std::span<const Pair> pairs) {
    std::vector<PairResult> results(pairs.size());
    solver_.expect(pairs);
    const Clock::time_point start = Clock::now();
    solver_.solve(pairs, results);
    return seconds_since(start);
  };
  // All pairs of few graphs, as a tile has them. Each sample is solved twice, and the second time counts: what is made
  // when it is first needed, of a graph or of the set, such as the solver of pairs that miss their accuracy, is made
  // once for all pairs of the matrix.
  std::vector<Pair> corners;
  for (std::size_t edge = std::min<std::size_t>(8, last_edge);; edge = std::min(growth * edge, last_edge)) {
    while (corners.size() < edge) corners.push_back({row(random), columns_begin + column(random)});
    std::vector<Pair> pairs;
    pairs.reserve(edge * edge);
    double work_of_sample = 0;
    for (const Pair& one : corners) {
      for (const Pair& other : corners) {
        pairs.push_back({one.first, other.second});
        work_of_sample += set_.cost()(pairs.back());
      }
    }
    seconds_of(pairs);
    const double seconds = seconds_of(pairs);
    if (seconds > enough_seconds / static_cast<double>(growth * growth) || edge == last_edge) {
      return {pairs.size(), seconds, work_of_sample > 0 ? seconds * work_of_all / work_of_sample : seconds};
    }
  }
}

SolveFacts MatrixSolver::facts() const {
  return {set_.size(),          0, set_.order(), solver_.setup_seconds(), solve_seconds_, solver_.description(),
          request_.read_seconds};
}

}  // namespace octile::app
