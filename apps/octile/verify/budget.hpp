// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace octile::app {

/// The seconds that work may take, counted from the construction.
class Budget {
 public:
  /// Unlimited time.
  Budget() = default;
  explicit Budget(double seconds) : seconds_(seconds) {}

  bool endless() const { return seconds_ == std::numeric_limits<double>::infinity(); }
  /// The remaining seconds, at least 0.
  double left() const {
    const std::chrono::duration<double> spent = Clock::now() - start_;
    return std::max(0.0, seconds_ - spent.count());
  }
  /// A fraction of the remaining time, from now on; unlimited if this is.
  Budget share(double fraction) const { return endless() ? Budget() : Budget(left() * fraction); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace octile::app
