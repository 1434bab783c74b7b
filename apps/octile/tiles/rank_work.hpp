// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <octile/gram.hpp>

#include "output/summary.hpp"
#include "tiles/matrix_files.hpp"
#include "tiles/matrix_solver.hpp"
#include "tiles/ranks.hpp"
#include "tiles/tiling.hpp"

// How several ranks solve the tiles of one matrix. Each prepares the set and claims tiles, costliest first. Each writes its tiles into the
// one file, and gives rank 0 their records, so that the journal has one writer. None waits for rank 0 meanwhile: it takes records by a thread
// of its own.

namespace octile::app {

/// The number of rank 0. Collective.
std::size_t common_number(Ranks& ranks, std::size_t number);

/// Throws `Error` at rank 0 where another rank has other graphs, options or choices of the solver, which bits depend on. Collective.
void require_common(Ranks& ranks, const nlohmann::json& identity);

/// What rank 0 does beside its own tiles.
class FirstRank {
 public:
  /// From now on `options.on_progress` shows progress with what the others did, too, and throws what was wrong with one of them.
  FirstRank(Ranks& ranks, GramOptions& options);
  FirstRank& operator=(FirstRank&&) = delete;  // neither copied nor moved
  ~FirstRank() = default;

  /// Solves the tiles together with the others, until all are written and flushed to the disk. Returns the solver's facts with those of
  /// every rank. Collective.
  SolveFacts solve(MatrixSolver& solver, const Tiling& tiling, std::vector<std::size_t> tiles, MatrixFiles& files);

 private:
  /// Takes what the others send, as it comes, until all are done. By a thread of its own, which must end before the ranks do.
  void listen(const std::stop_token& stop);
  /// Takes a message. Returns whether it was the last one of the last rank.
  bool take(const RankMessage& message);
  void add(const TileRecord& record);
  void wait_for_others();
  void throw_what_is_wrong();
  bool show(const Progress& mine);

  Ranks& ranks_;
  std::function<bool(const Progress&)> shown_;
  Progress last_{};
  const MatrixSolver* solver_ = nullptr;
  const Tiling* tiling_ = nullptr;
  double total_work_ = 0;
  std::mutex mutex_;  ///< of all that follows
  std::condition_variable heard_;
  std::exception_ptr wrong_;
  MatrixFiles* files_ = nullptr;
  std::size_t pairs_ = 0;  ///< solved by the others
  double work_ = 0;
  std::vector<SolveFacts::Rank> facts_;
  std::vector<double> busy_;  ///< seconds of each rank until its last tile, without those in which it waited for others
  std::size_t working_ = 0;   ///< other ranks that are not done
};

/// What any other rank does. Collective.
void work_for_first(Ranks& ranks, MatrixSolver& solver, const Tiling& tiling, const MatrixPaths& paths);

}  // namespace octile::app
