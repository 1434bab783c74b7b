// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <octile/gram.hpp>

namespace octile::app {

/// Shows the progress of long work on stderr: one line that is overwritten on a
/// terminal, a plain line every ten seconds otherwise, nothing when quiet. Work
/// that is done at once shows nothing.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ProgressLine& operator=(ProgressLine&&) = delete;  // neither copied nor moved
  /// Erases the line from the terminal.
  ~ProgressLine();

  void reading(const std::string& path, std::size_t graphs);
  void solving(const Progress& progress);
  /// Graphs that have been ordered.
  void ordering(std::size_t graphs_done, std::size_t graphs_total);
  /// Pairs of a reference that have been solved.
  void judging(std::size_t pairs_done, std::size_t pairs_total);
  /// Prints the solver's choices in a line that stays, at once and on any kind of output. Call it before `solving`.
  void starting(const std::string& solver) const;

 private:
  bool due();
  void show(const std::string& text);

  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace octile::app
