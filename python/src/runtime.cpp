// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

#include <octile/base/kokkos_settings.hpp>
#include <octile/error.hpp>
#include <octile/interruption.hpp>

#include <Kokkos_Core.hpp>

#include <unistd.h>

#include <chrono>
#include <exception>
#include <string>
#include <thread>

namespace octile::python {
Runtime& Runtime::instance() {
  static Runtime runtime;
  return runtime;
}

void Runtime::set_threads(int threads) {
  const std::lock_guard lock(settings_);
  if (threads < 0 || threads > most_threads) {
    throw Error("threads is " + std::to_string(threads) + "; allowed is a number from 0 to " +
                std::to_string(most_threads));
  }
  if (started_ != 0 && threads != 0 && threads != started_) {
    throw Error("threads is " + std::to_string(threads) + "; the first solve has started " + std::to_string(started_) +
                ", and their number stays until Python ends");
  }
  threads_ = threads;
}

int Runtime::threads() const {
  const std::lock_guard lock(settings_);
  return started_ != 0 ? started_ : threads_;
}

Runtime::Turn Runtime::enter(const std::function<bool()>& go_on) {
  constexpr std::chrono::milliseconds pause{100};
  if (owner_.load() == std::this_thread::get_id()) {
    throw Error(
        "a kernel is called by a function that a solve calls, such as that of progress; allowed is to call it "
        "afterwards");
  }
  // Before it waits: in a fork no one gives the turn back.
  require_own_threads();
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock_for(pause)) {
    if (!finishing_ && !go_on()) throw Interrupted();
  }
  if (finishing_) throw Error("Python is ending, and solves have ended");
  start();
  lock.release();
  return Turn(*this);
}

void Runtime::require_own_threads() const {
  if (process_ == 0 || process_ == getpid()) return;
  throw Error(
      "this process was forked from one that had solved, and has none of its threads; start processes by 'spawn', or "
      "fork before the first solve");
}

void Runtime::start() {
  if (process_ == getpid()) return;
  const std::lock_guard lock(settings_);
  const Kokkos::InitializationSettings settings = kokkos_settings(threads_);
  try {
    Kokkos::initialize(settings);
  } catch (const std::exception& error) {
    throw Error(std::string("Kokkos cannot start here (a build with CUDA needs a GPU and its driver): ") +
                error.what());
  }
  started_ = Kokkos::num_threads();
  process_ = getpid();
}

void Runtime::finish() {
  finishing_ = true;
  // A fork has none of the threads that may have been in a solve, and not Kokkos'.
  if (process_ != getpid()) return;
  while (visits_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::lock_guard lock(mutex_);
  if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
}

}  // namespace octile::python
