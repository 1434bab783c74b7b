// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include <octile/gram.hpp>

namespace octile::app {

/// Shows on stderr how far long work has come: one line written over and over on a
/// terminal, a plain line every ten seconds otherwise, nothing when quiet. Work
/// that is done within the first moment shows nothing.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Takes the line off the terminal.
  ~ProgressLine();

  void reading(const std::string& path, std::size_t graphs);
  void solving(const Progress& progress);
  /// Graphs that have been ordered.
  void ordering(std::size_t graphs_done, std::size_t graphs_total);
  /// Pairs of a reference that have been solved.
  void judging(std::size_t pairs_done, std::size_t pairs_total);
  /// A line that stays, at once and whatever the output: what the solver chose. To be called before `solving`.
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
