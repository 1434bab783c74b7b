// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/matrix_solver.hpp"

#include <algorithm>
#include <cstdint>

#include <octile/batch_runner.hpp>

#include "commands/result_memory.hpp"

namespace octile::app::tiles {

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

void MatrixSolver::expect(std::span<const std::size_t> tiles) {
  std::vector<bool> wanted(set_.size());
  for (const std::size_t number : tiles) {
    const Block wants = block(tiling_.tile(number));
    solver_.expect(wants);
    for (const GraphRange range : {wants.rows, wants.columns}) {
      std::fill(wanted.begin() + range.begin, wanted.begin() + range.end, true);
    }
  }
  if (!request_.options.normalize) return;
  const Clock::time_point start = Clock::now();
  std::vector<Pair> pairs;
  for (std::int32_t g = 0; g < static_cast<std::int32_t>(set_.size()); ++g) {
    if (wanted[static_cast<std::size_t>(g)]) pairs.push_back({g, g});
  }
  solver_.expect(pairs);
  std::vector<PairResult> results(pairs.size());
  solver_.solve(pairs, results);
  own_.resize(set_.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) own_[static_cast<std::size_t>(pairs[k].first)] = results[k];
  solve_seconds_ += seconds_since(start);
}

TileValues MatrixSolver::solve(const Tile& tile, Statistics& statistics) {
  const Clock::time_point start = Clock::now();
  const Block wanted = block(tile);
  const std::size_t refined = solver_.refined();
  results_.resize(wanted.places());
  solver_.solve(wanted, results_);
  statistics.add_refined(solver_.refined() - refined);
  TileValues formed = form_values(wanted, results_, own_, statistics);
  solve_seconds_ += seconds_since(start);
  return formed;
}

SolveFacts MatrixSolver::facts() const {
  return {set_.size(), 0, set_.order(), solver_.setup_seconds(), solve_seconds_, solver_.description()};
}

}  // namespace octile::app::tiles
