// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>

namespace octile::python {

/// Kokkos, started for the first solve and ended with the process. It is this module's own, and so unseen by other extensions.
class Runtime {
 public:
  static Runtime& instance();

  /// The number of threads of solves to come, 0 for what OMP_NUM_THREADS or the machine says. Throws `Error` for a negative one,
  /// and for another one once Kokkos is started.
  void set_threads(int threads);
  /// Those of Kokkos, or those asked for before it is started.
  int threads() const;

  /// Starts Kokkos if it is not started, and keeps others out until the lock is released: one solve at a time, since all
  /// threads are in it. Called without the GIL. Throws `Error` in a forked process, which has lost the threads, and after
  /// `finish`.
  std::unique_lock<std::mutex> enter();

  /// Asks a solve that runs to stop, waits for it and ends Kokkos. Called without the GIL.
  void finish();
  bool finishing() const { return finishing_; }

 private:
  void start();

  std::mutex mutex_;
  std::atomic<bool> finishing_ = false;
  int threads_ = 0;
  int process_ = 0;  ///< that started Kokkos; 0 before
};

}  // namespace octile::python
