// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <future>

#include "tiles/journal.hpp"
#include "tiles/tiling.hpp"
#include "tiles/values.hpp"

namespace octile::app {

/// Writes tiles by a thread of its own while the next one is solved. One is written at a time, so that memory holds one tile more
/// than without.
class TileQueue {
 public:
  using Write = std::function<TileRecord(const Tile&, const TileValues&, const Statistics&)>;
  using Done = std::function<void(const TileRecord&)>;

  /// The thread calls `write`. What it returns goes to `done` by the thread that calls `add` and `finish`, tile after tile.
  TileQueue(Write write, Done done);
  TileQueue& operator=(TileQueue&&) = delete;  // neither copied nor moved
  /// Waits for the thread.
  ~TileQueue() = default;

  /// Waits until the tile before is written. Throws what `write` of that one threw, and as `done` does.
  void add(const Tile& tile, TileValues formed, Statistics statistics);
  /// Waits for the last one, in the same way.
  void finish();

  /// How long tiles were written, at the same time as others were solved.
  double write_seconds() const { return write_seconds_; }

 private:
  struct Written {
    TileRecord record;
    double seconds = 0;
  };

  Write write_;
  Done done_;
  double write_seconds_ = 0;
  std::future<Written> pending_;  ///< the last member, since its end waits for the thread
};

}  // namespace octile::app
