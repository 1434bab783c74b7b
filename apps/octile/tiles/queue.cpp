// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/queue.hpp"

#include <chrono>
#include <utility>

namespace octile::app {

TileQueue::TileQueue(Write write, Done done) : write_(std::move(write)), done_(std::move(done)) {}

void TileQueue::add(const Tile& tile, TileValues formed, Statistics statistics) {
  finish();
  pending_ = std::async(std::launch::async,
                        [this, tile, formed = std::move(formed), statistics = std::move(statistics)]() -> Written {
                          using Clock = std::chrono::steady_clock;
                          const Clock::time_point start = Clock::now();
                          TileRecord record = write_(tile, formed, statistics);
                          return {std::move(record), std::chrono::duration<double>(Clock::now() - start).count()};
                        });
}

void TileQueue::finish() {
  if (!pending_.valid()) return;
  const Written written = pending_.get();
  write_seconds_ += written.seconds;
  done_(written.record);
}

}  // namespace octile::app
