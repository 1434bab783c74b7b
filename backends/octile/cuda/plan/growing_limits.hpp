// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace octile::cuda {

/// Limits that the whole process shares and that never fall: of a kernel on a device, the shared memory that a launch may ask
/// for. Two solvers that need different amounts may set it at once; what the larger one has set stays.
class GrowingLimits {
 public:
  /// Calls `set(value)` if no value as large has been set for that kernel and device. Other callers wait meanwhile. Where `set`
  /// throws, the limit is as it was.
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
