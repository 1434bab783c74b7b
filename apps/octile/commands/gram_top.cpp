// SPDX-License-Identifier: BSD-3-Clause
#include "commands/gram_top.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/base/bytes.hpp>
#include <octile/error.hpp>

#include "output/temporaries.hpp"
#include "readers/text.hpp"
#include "tiles/matrix_solver.hpp"
#include "tiles/nearest_search.hpp"
#include "tiles/result_memory.hpp"
#include "tiles/top_file.hpp"

namespace octile::app {
namespace {

/// The share of the memory that rough values of --top may take.
constexpr std::size_t rough_share = 8;

/// One progress of two solvers: that of rough values, which sees all pairs, up to their share of the work.
struct SearchProgress {
  std::function<bool(const Progress&)> shown;
  double share = 1;
  std::optional<Progress> rough{};

  bool of_rough(const Progress& told) {
    const double seconds = rough ? std::max(rough->seconds, told.seconds) : told.seconds;
    rough = told;
    rough->seconds = seconds;
    return show();
  }
  bool of_solver(const Progress& told) {
    if (!rough) return !shown || shown(told);
    rough->seconds = std::max(rough->seconds, told.seconds);
    return show();
  }

 private:
  bool show() const {
    Progress both = *rough;
    both.work_done *= share;
    return !shown || shown(both);
  }
};

/// The search for nearest graphs, if pairs may stop early and there is memory for it.
std::unique_ptr<NearestSearch> make_search(const MatrixRequest& request, const Tiling& tiling, std::size_t most,
                                           MatrixSolver& solver, std::size_t memory, SearchProgress& progress) {
  if (memory == 0) return nullptr;
  try {
    check_largest_pair(request.graphs, *request.kernel, memory);
    return std::make_unique<NearestSearch>(request, tiling, most, solver, memory,
                                           [&progress](const Progress& told) { return progress.of_rough(told); });
  } catch (const Error&) {
    return nullptr;  // The solver itself has enough.
  }
}

nlohmann::json identity_of_top(const GramArguments& arguments, const MatrixRequest& request) {
  nlohmann::json identity = identity_of(request);
  identity["--top"] = arguments.top;
  return identity;
}

/// The size of the tiles, which a list that was begun keeps. Throws where that is of another request, as far as it is known.
std::size_t edge_of_top(const GramArguments& arguments, const MatrixRequest& request, const nlohmann::json& begun) {
  if (begun.is_null()) return arguments.tile_size;
  const std::size_t edge = edge_begun(arguments, begun.at(edge_key).get<std::size_t>());
  nlohmann::json before = begun;
  before.erase(stops_early_key);
  require_same_so_far(before, identity_of_top(arguments, request), begun_name(arguments), begun_is_allowed);
  return edge;
}

/// What is kept for the next run, if --resume asks for it.
class Resumed {
 public:
  Resumed(const GramArguments& arguments, Outputs& outputs) : name_(begun_name(arguments)) {
    if (!arguments.resume) return;
    say_unfinished_is_kept();
    file_.emplace(outputs, arguments.out);
  }

  /// What was asked for of the run before; null where there was none.
  const nlohmann::json& begun() const { return file_ ? file_->request() : nothing_; }
  /// Whether pairs stopped early in the run before; nothing where there was none.
  std::optional<bool> stopped_early() const {
    if (begun().is_null()) return std::nullopt;
    return begun().at(stops_early_key).get<bool>();
  }

  /// Goes on with the run before, or begins. Throws where what is prepared is not what it was.
  TopDone go_on(nlohmann::json identity, bool stops, Nearest& nearest) {
    if (!file_) return {};
    identity[stops_early_key] = stops;
    if (begun().is_null()) {
      file_->begin(identity);
      return {};
    }
    require_same(begun(), identity, name_, begun_is_allowed);
    return file_->replay(nearest);
  }
  void add(const TopDone& group, std::span<const Tile> tiles, const Nearest& nearest) {
    if (file_) file_->add(group, tiles, nearest);
  }
  bool given() const { return file_.has_value(); }

 private:
  std::string name_;
  nlohmann::json nothing_;
  std::optional<TopFile> file_;
};

std::vector<std::size_t> tiles_from(const Tiling& tiling, std::size_t next) {
  std::vector<std::size_t> tiles(tiling.count() - next);
  std::iota(tiles.begin(), tiles.end(), next);
  return tiles;
}

}  // namespace

TopMemory top_memory(std::size_t most, const MatrixRequest& request, const Tiling& tiling) {
  const std::size_t memory = request.options.memory;
  const std::size_t kept = Nearest::bytes(tiling, most) + NearestSearch::bytes(tiling, most);
  if (kept > memory / 2) {
    throw Error(fmt::format(
        "--top {}: the neighbours of {} take {}; allowed is half of what --memory leaves beside the graphs, {}", most,
        counted(tiling.rows(), "graph"), format_bytes(kept), format_bytes(memory / 2)));
  }
  const std::size_t rough = NearestSearch::is_possible(request.options) ? (memory - kept) / rough_share : 0;
  return {rough, memory - kept - rough};
}

PlannedPart plan_top(const GramArguments& arguments, const MatrixRequest& request) {
  if (!arguments.resume || !is_kept(arguments.out)) {
    const Tiling tiling = tiling_of(request, arguments.tile_size);
    return {tiling, tiles_from(tiling, 0)};
  }
  TopFileReader reader(kept_file(arguments.out));
  const Tiling tiling = tiling_of(request, edge_of_top(arguments, request, reader.request()));
  Nearest nearest(tiling, arguments.top);
  return {tiling, tiles_from(tiling, reader.replay(nearest).next)};
}

TopOfRows solve_top(const GramArguments& arguments, MatrixRequest request, Outputs& outputs) {
  Resumed resumed(arguments, outputs);
  const nlohmann::json identity = identity_of_top(arguments, request);
  const Tiling tiling = tiling_of(request, edge_of_top(arguments, request, resumed.begun()));
  const TopMemory memory = top_memory(arguments.top, request, tiling);
  request.options.memory = memory.left;
  SearchProgress progress{request.options.on_progress};
  request.options.on_progress = [&progress](const Progress& told) { return progress.of_solver(told); };
  MatrixSolver solver(request, tiling);
  nlohmann::json prepared = identity;
  add_prepared(prepared, tiling.edge(), solver.facts());
  auto nearest = std::make_unique<Nearest>(tiling, arguments.top);
  const std::optional<bool> stopped_early = resumed.stopped_early();
  const auto search = stopped_early.value_or(true)
                          ? make_search(request, tiling, arguments.top, solver, memory.rough, progress)
                          : nullptr;
  if (search) {
    solver.solve_own();
    // What it saves is found again, for the progress; what was begun is gone on with as it was.
    const bool pays = search->pays();
    if (stopped_early.value_or(pays)) {
      progress.share = search->rough_share();
      TopDone done = resumed.go_on(std::move(prepared), true, *nearest);
      if (done.next > 0) say_resuming(arguments, done.next, tiling.count());
      const std::size_t pairs_before = done.statistics.pairs();
      const std::size_t rough_before = done.search.pairs;
      NearestSearch::Groups groups{done};
      // Whoever gives the size of tiles says how much may be lost.
      if (arguments.tile_size > 0) groups.seconds = 0;
      if (resumed.given()) {
        groups.reached = [&](const TopDone& group, std::span<const Tile> tiles) {
          resumed.add(group, tiles, *nearest);
        };
      }
      const EarlyStops stops = search->run(*nearest, groups);
      SolveFacts facts = solver.facts();
      facts.setup_seconds += search->setup_seconds();
      facts.solve_seconds += search->solve_seconds();
      Summary summary = done.statistics.summary(std::move(facts), pairs_before);
      summary.pairs += stops.pairs;
      summary.pairs_per_second = static_cast<double>(done.search.pairs - rough_before) / summary.facts.solve_seconds;
      summary.stops = stops;
      return {std::move(summary), std::move(nearest)};
    }
    progress.rough.reset();
  }
  if (stopped_early.value_or(false)) {
    throw Error(
        fmt::format("{}: was begun with memory for rough values, which there is not now; allowed is as much, or "
                    "to remove it, and to start over",
                    begun_name(arguments)));
  }
  TopDone done = resumed.go_on(std::move(prepared), false, *nearest);
  if (done.next > 0) say_resuming(arguments, done.next, tiling.count());
  const std::size_t pairs_before = done.statistics.pairs();
  const std::vector<std::size_t> left = tiles_from(tiling, done.next);
  if (!left.empty()) solver.expect(left);
  for (const std::size_t number : left) {
    const Tile tile = tiling.tile(number);
    TopDone group{number + 1, {}, {}};
    nearest->add(tile, solver.solve(tile, group.statistics));
    done.statistics.add(group.statistics);
    resumed.add(group, {&tile, 1}, *nearest);
  }
  Summary summary = done.statistics.summary(solver.facts(), pairs_before);
  summary.stops = EarlyStops{};
  return {std::move(summary), std::move(nearest)};
}

}  // namespace octile::app
