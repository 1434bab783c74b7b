// SPDX-License-Identifier: BSD-3-Clause
#include "output/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "output/message.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds first_after_on_terminal{300};
constexpr std::chrono::milliseconds interval_on_terminal{100};
constexpr std::chrono::milliseconds interval_of_plain_lines{10000};

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + (terminal_ ? first_after_on_terminal : interval_of_plain_lines)) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) say("\r\033[K");
}

void ProgressLine::reading(const std::string& path, std::size_t graphs) {
  if (due()) show(fmt::format("reading {}: {} so far", printable(path), counted(graphs, "graph")));
}

void ProgressLine::solving(const Progress& progress) {
  if (!due()) return;
  // Pairs come costliest first, so the remaining time is estimated from the work and not from the count.
  const double done = progress.work_done;
  const double left = done > 0 ? progress.seconds * (1 - done) / done : -1;
  show(fmt::format("{} of {} pairs, {:.0f} % of the work, {} pairs/s, {} left", with_commas(progress.pairs_done),
                   with_commas(progress.pairs_total), 100 * done,
                   rate(static_cast<double>(progress.pairs_done) / progress.seconds), duration(left)));
}

void ProgressLine::ordering(std::size_t graphs_done, std::size_t graphs_total) {
  if (due()) show(fmt::format("ordering: {} of {}", with_commas(graphs_done), counted(graphs_total, "graph")));
}

void ProgressLine::judging(std::size_t pairs_done, std::size_t pairs_total) {
  if (due()) show(fmt::format("reference: {} of {}", with_commas(pairs_done), counted(pairs_total, "pair")));
}

void ProgressLine::starting(const std::string& solver) const {
  if (quiet_) return;
  say(fmt::format("solver: {}\n", solver));
}

bool ProgressLine::due() {
  if (quiet_) return false;
  const auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + (terminal_ ? interval_on_terminal : interval_of_plain_lines);
  return true;
}

void ProgressLine::show(const std::string& text) {
  shown_ = true;
  say(terminal_ ? fmt::format("\r\033[K{}", text) : fmt::format("{}\n", text));
}

}  // namespace octile::app
