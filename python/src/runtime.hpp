// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace octile::python {

/// Kokkos, started for the first solve and ended with the process. It belongs to this module; other extensions do not see it.
class Runtime {
 public:
  static Runtime& instance();

  /// The number of threads of solves to come, 0 for what the environment or the machine says. Throws `Error` for one that is not within
  /// 0 … `most_threads`, and for another one once Kokkos is started. It does not wait for solves.
  void set_threads(int threads);
  /// The number of threads of Kokkos, or the number asked for before it is started.
  int threads() const;

  /// The time in which a thread has Kokkos for itself: one solve at a time, since all threads are in it.
  class Turn {
   public:
    explicit Turn(Runtime& runtime) : runtime_(runtime) { runtime_.owner_ = std::this_thread::get_id(); }
    ~Turn() {
      runtime_.owner_ = std::thread::id();
      runtime_.mutex_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Runtime& runtime_;
  };

  /// Waits until no other thread solves, and starts Kokkos if it is not started. Called without the GIL. While it waits it asks
  /// `go_on` a few times a second, and throws `Interrupted` where that says no. Throws `Error` in a forked process, which has lost the
  /// threads, after `finish`, and for a thread that solves already: a function that a solve calls cannot begin another one.
  Turn enter(const std::function<bool()>& go_on);

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
  void require_own_threads() const;
  void start();

  std::timed_mutex mutex_;  ///< of the thread whose turn it is
  std::atomic<std::thread::id> owner_ = std::thread::id();
  mutable std::mutex settings_;  ///< of the numbers below; held for moments alone, while Kokkos starts among them
  std::atomic<bool> finishing_ = false;
  std::atomic<int> visits_ = 0;
  int threads_ = 0;
  int started_ = 0;               ///< the threads of Kokkos; 0 before it is started
  std::atomic<int> process_ = 0;  ///< that started Kokkos; 0 before
};

}  // namespace octile::python
