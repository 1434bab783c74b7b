// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace octile::app {

/// Seconds that work may take, counted from when this is made.
class Budget {
 public:
  /// Time without end.
  Budget() = default;
  explicit Budget(double seconds) : seconds_(seconds) {}

  bool endless() const { return seconds_ == std::numeric_limits<double>::infinity(); }
  /// Seconds that are left; none is 0.
  double left() const {
    const std::chrono::duration<double> spent = Clock::now() - start_;
    return std::max(0.0, seconds_ - spent.count());
  }
  /// A fraction of what is left, from now on; of endless time, endless time.
  Budget share(double fraction) const { return endless() ? Budget() : Budget(left() * fraction); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace octile::app
