// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace octile::cuda {

/// For each kernel and device, the shared memory that a launch may use. The process shares these limits and they never
/// fall, so solvers that need different amounts may raise them concurrently: the largest amount stays.
class GrowingLimits {
 public:
  /// Calls `set(value)` unless a value at least as large has been set for that kernel and device. Other callers wait
  /// meanwhile. If `set` throws, the limit is unchanged.
  template <class Set>
  void raise(const void* kernel, int device, std::size_t value, const Set& set) {
    const std::lock_guard lock(mutex_);
    std::size_t& limit = limits_[{kernel, device}];
    if (value <= limit) return;
    set(value);
    limit = value;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, int>, std::size_t> limits_;
};

}  // namespace octile::cuda
