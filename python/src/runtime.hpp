// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>

namespace octile::python {

/// Kokkos, started for the first solve and ended with the process. It belongs to this module; other extensions do not see it.
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

  /// Asks solves to stop, waits until their threads are back in Python and ends Kokkos. Called without the GIL.
  void finish();
  bool finishing() const { return finishing_; }

  /// A thread on its way into a solve and back. Made before it gives the GIL away, and gone once it has it again: a thread that
  /// asked an ended Python for the GIL would be unwound through our frames, which ends the process.
  class Visit {
   public:
    Visit() { ++instance().visits_; }
    ~Visit() { --instance().visits_; }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
  };

 private:
  void start();

  std::mutex mutex_;
  std::atomic<bool> finishing_ = false;
  std::atomic<int> visits_ = 0;
  int threads_ = 0;
  int process_ = 0;  ///< that started Kokkos; 0 before
};

}  // namespace octile::python
