// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/rank_work.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/batch_runner.hpp>

#include "tiles/journal.hpp"
#include "tiles/request.hpp"
#include "tiles/tile_writer.hpp"

namespace octile::app {
namespace {

/// Solves tiles as long as there is one that no rank has claimed. Returns how many.
template <class Done>
std::size_t solve_claimed(Ranks& ranks, MatrixSolver& solver, const Tiling& tiling,
                          const std::vector<std::size_t>& tiles, const Done& done) {
  if (!tiles.empty()) solver.expect(tiles);
  std::size_t count = 0;
  for (std::size_t k = ranks.claim(); k < tiles.size(); k = ranks.claim()) {
    const Tile tile = tiling.tile(tiles[k]);
    Statistics statistics;
    const TileValues formed = solver.solve(tile, statistics);
    done(tile, formed, statistics);
    ++count;
  }
  return count;
}

}  // namespace

std::size_t common_number(Ranks& ranks, std::size_t number) {
  return nlohmann::json::parse(ranks.broadcast(nlohmann::json(number).dump())).get<std::size_t>();
}

void require_common(Ranks& ranks, const nlohmann::json& identity) {
  const std::vector<std::string> all = ranks.gather(identity.dump());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    require_same(identity, nlohmann::json::parse(all[rank]), fmt::format("rank {}", rank),
                 "the same input, and machines of one kind, for all ranks");
  }
}

FirstRank::FirstRank(Ranks& ranks, GramOptions& options)
    : ranks_(ranks), shown_(options.on_progress), facts_(ranks.size()), busy_(ranks.size()) {
  options.on_progress = [this](const Progress& mine) {
    while (files_ != nullptr) {
      const auto message = ranks_.receive(false);
      if (!message) break;
      take(*message);
    }
    return show(mine);
  };
}

bool FirstRank::show(const Progress& mine) {
  last_ = mine;
  Progress all = mine;
  all.pairs_done += pairs_;
  if (total_work_ > 0) all.work_done = std::min(1.0, mine.work_done + work_ / total_work_);
  return !shown_ || shown_(all);
}

void FirstRank::take(const Ranks::Message& message) {
  const nlohmann::json document = nlohmann::json::parse(message.text);
  if (document.contains("busy")) {
    SolveFacts::Rank& facts = facts_[message.rank];
    facts.tiles = document.at("tiles").get<std::size_t>();
    facts.solve_seconds = document.at("solve").get<double>();
    busy_[message.rank] = document.at("busy").get<double>();
    --working_;
    return;
  }
  const TileRecord record = TileRecord::from_json(document);
  files_->add(record);
  pairs_ += record.statistics.pairs();
  work_ += solver_->work(tiling_->tile(record.tile));
}

SolveFacts FirstRank::solve(MatrixSolver& solver, const Tiling& tiling, std::vector<std::size_t> tiles,
                            MatrixFiles& files) {
  const auto work = [&](std::size_t number) { return solver.work(tiling.tile(number)); };
  std::ranges::stable_sort(tiles, std::ranges::greater(), work);
  for (const std::size_t number : tiles) total_work_ += work(number);
  ranks_.broadcast(nlohmann::json{{"tiles", tiles}, {"files", files.files()}}.dump());
  const Clock::time_point start = Clock::now();
  working_ = ranks_.size() - 1;
  solver_ = &solver;
  tiling_ = &tiling;
  files_ = &files;
  const std::size_t mine = solve_claimed(ranks_, solver, tiling, tiles,
                                         [&](const Tile& tile, const TileValues& formed, const Statistics& statistics) {
                                           files.write(tile, formed, statistics);
                                         });
  busy_.front() = seconds_since(start);
  SolveFacts facts = solver.facts();
  facts_.front() = {mine, facts.solve_seconds, 0};
  while (working_ > 0) {
    take(*ranks_.receive(true));
    show(last_);
  }
  files_ = nullptr;
  facts.solve_seconds = seconds_since(start);
  for (std::size_t rank = 0; rank < facts_.size(); ++rank) {
    facts_[rank].idle_seconds = std::max(0.0, facts.solve_seconds - busy_[rank]);
  }
  facts.ranks = facts_;
  return facts;
}

void work_for_first(Ranks& ranks, MatrixSolver& solver, const Tiling& tiling, const MatrixPaths& paths) {
  const nlohmann::json plan = nlohmann::json::parse(ranks.broadcast({}));
  const Clock::time_point start = Clock::now();
  TileWriter writer(tiling);
  std::size_t next = 0;
  for (const std::string& path : {paths.values, paths.errors}) {
    if (!path.empty()) writer.open(plan.at("files").at(next++).get<std::string>(), path);
  }
  const std::size_t mine = solve_claimed(ranks, solver, tiling, plan.at("tiles").get<std::vector<std::size_t>>(),
                                         [&](const Tile& tile, const TileValues& formed, const Statistics& statistics) {
                                           ranks.send(writer.write(tile, formed, statistics).to_json().dump());
                                         });
  writer.flush();
  ranks.send(
      nlohmann::json{{"tiles", mine}, {"solve", solver.facts().solve_seconds}, {"busy", seconds_since(start)}}.dump());
}

}  // namespace octile::app
