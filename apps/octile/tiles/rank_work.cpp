// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/rank_work.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/batch_runner.hpp>

#include "tiles/journal.hpp"
#include "tiles/queue.hpp"
#include "tiles/request.hpp"
#include "tiles/writer.hpp"

namespace octile::app {
namespace {

/// Says which tiles there are. Each rank solves a share of the pairs of graphs with themselves, and has all of them then. Collective.
void expect_together(Ranks& ranks, MatrixSolver& solver, const std::vector<std::size_t>& tiles) {
  if (tiles.empty()) return;
  solver.expect(tiles, {ranks.rank(), ranks.size(), [&ranks](const std::string& mine) {
                          std::string all;
                          for (const std::string& text : ranks.gather(mine)) all += text;
                          return ranks.broadcast(all);
                        }});
}

/// Solves tiles as long as there is one that no rank has claimed, and writes them meanwhile. Returns what this rank did, as far as
/// it is known then.
template <class Bytes>
SolveFacts::Rank solve_claimed(Ranks& ranks, MatrixSolver& solver, const Tiling& tiling,
                               const std::vector<std::size_t>& tiles, TileQueue& queue, const Bytes& bytes_of) {
  SolveFacts::Rank mine;
  for (std::size_t k = ranks.claim(); k < tiles.size(); k = ranks.claim()) {
    const Tile tile = tiling.tile(tiles[k]);
    Statistics statistics;
    TileValues formed = solver.solve(tile, statistics);
    queue.add(tile, std::move(formed), std::move(statistics));
    mine.bytes += bytes_of(tile);
    ++mine.tiles;
  }
  queue.finish();
  const SolveFacts facts = solver.facts();
  mine.read_seconds = facts.read_seconds;
  mine.setup_seconds = facts.order.seconds + facts.setup_seconds;
  mine.solve_seconds = facts.solve_seconds;
  mine.write_seconds = queue.write_seconds();
  return mine;
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
    throw_what_is_wrong();
    return show(mine);
  };
}

bool FirstRank::show(const Progress& mine) {
  last_ = mine;
  Progress all = mine;
  {
    const std::lock_guard lock(mutex_);
    all.pairs_done += pairs_;
    if (total_work_ > 0) all.work_done = std::min(1.0, mine.work_done + work_ / total_work_);
  }
  return !shown_ || shown_(all);
}

void FirstRank::throw_what_is_wrong() {
  const std::lock_guard lock(mutex_);
  if (wrong_) std::rethrow_exception(wrong_);
}

void FirstRank::listen(const std::stop_token& stop) {
  // MPI has no wait that another thread may end. Where it lets ranks ask this one for a tile, they wait for the next look: so there are some
  // in the time that a rank takes for a tile. Many cost a few per cent of a core.
  constexpr double looks_a_tile = 100;
  constexpr double shortest = 5e-4;
  constexpr double longest = 1e-2;
  const Clock::time_point start = Clock::now();
  double records = 1;
  try {
    while (!stop.stop_requested()) {
      while (const auto message = ranks_.receive(false)) {
        const bool last = take(*message);
        heard_.notify_one();
        if (last) return;
        ++records;
      }
      const double a_tile = seconds_since(start) * static_cast<double>(ranks_.size() - 1) / records;
      std::this_thread::sleep_for(std::chrono::duration<double>(std::clamp(a_tile / looks_a_tile, shortest, longest)));
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    wrong_ = std::current_exception();
    heard_.notify_one();
  }
}

void FirstRank::wait_for_others() {
  std::unique_lock lock(mutex_);
  while (working_ > 0 && !wrong_) {
    heard_.wait(lock);
    lock.unlock();
    show(last_);
    lock.lock();
  }
  if (wrong_) std::rethrow_exception(wrong_);
}

void FirstRank::add(const TileRecord& record) {
  const std::lock_guard lock(mutex_);
  files_->add(record);
}

bool FirstRank::take(const RankMessage& message) {
  const nlohmann::json document = nlohmann::json::parse(message.text);
  const std::lock_guard lock(mutex_);
  if (document.contains("busy")) {
    SolveFacts::Rank& facts = facts_[message.rank];
    facts.tiles = document.at("tiles").get<std::size_t>();
    facts.bytes = document.at("bytes").get<std::size_t>();
    facts.read_seconds = document.at("read").get<double>();
    facts.setup_seconds = document.at("setup").get<double>();
    facts.solve_seconds = document.at("solve").get<double>();
    facts.write_seconds = document.at("write").get<double>();
    busy_[message.rank] = document.at("busy").get<double>();
    return --working_ == 0;
  }
  const TileRecord record = TileRecord::from_json(document);
  files_->add(record);
  pairs_ += record.statistics.pairs();
  work_ += solver_->work(tiling_->tile(record.tile));
  return false;
}

SolveFacts FirstRank::solve(MatrixSolver& solver, const Tiling& tiling, std::vector<std::size_t> tiles,
                            MatrixFiles& files) {
  const auto work = [&](std::size_t number) { return solver.work(tiling.tile(number)); };
  std::ranges::stable_sort(tiles, std::ranges::greater(), work);
  for (const std::size_t number : tiles) total_work_ += work(number);
  const Clock::time_point start = Clock::now();
  const double waited = ranks_.waited_seconds();
  ranks_.broadcast(nlohmann::json{{"tiles", tiles}, {"files", files.files()}}.dump());
  // Before records of tiles come, which are messages too.
  expect_together(ranks_, solver, tiles);
  working_ = ranks_.size() - 1;
  solver_ = &solver;
  tiling_ = &tiling;
  files_ = &files;
  const std::jthread listener([this](const std::stop_token& stop) { listen(stop); });
  TileQueue queue([&files](const auto&... written) { return files.put(written...); },
                  [this](const TileRecord& record) { add(record); });
  const SolveFacts::Rank mine =
      solve_claimed(ranks_, solver, tiling, tiles, queue, [&files](const Tile& tile) { return files.bytes_of(tile); });
  const double busy = seconds_since(start) - (ranks_.waited_seconds() - waited);
  SolveFacts facts = solver.facts();
  facts.write_seconds = queue.write_seconds();
  wait_for_others();
  // The listener has ended, or does so without looking at these.
  facts_.front() = mine;
  busy_.front() = busy;
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
  const double waited = ranks.waited_seconds();
  TileWriter writer(tiling);
  std::size_t next = 0;
  for (const auto& [path, precision] : paths.files()) {
    writer.open(plan.at("files").at(next++).get<std::string>(), path, precision);
  }
  TileQueue queue([&writer](const auto&... written) { return writer.write(written...); },
                  [&ranks](const TileRecord& record) { ranks.send(record.to_json().dump()); });
  const auto tiles = plan.at("tiles").get<std::vector<std::size_t>>();
  expect_together(ranks, solver, tiles);
  const SolveFacts::Rank mine =
      solve_claimed(ranks, solver, tiling, tiles, queue, [&writer](const Tile& tile) { return writer.bytes_of(tile); });
  writer.flush();
  ranks.send(nlohmann::json{{"tiles", mine.tiles},
                            {"bytes", mine.bytes},
                            {"read", mine.read_seconds},
                            {"setup", mine.setup_seconds},
                            {"solve", mine.solve_seconds},
                            {"write", mine.write_seconds},
                            {"busy", seconds_since(start) - (ranks.waited_seconds() - waited)}}
                 .dump());
  ranks.deliver();
}

}  // namespace octile::app
