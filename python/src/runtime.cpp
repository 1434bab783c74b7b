// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

#include <octile/error.hpp>

#include <Kokkos_Core.hpp>

#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace octile::python {

Runtime& Runtime::instance() {
  static Runtime runtime;
  return runtime;
}

void Runtime::set_threads(int threads) {
  const std::lock_guard lock(mutex_);
  if (threads < 0) throw Error("threads is " + std::to_string(threads) + "; allowed is a number at least 0");
  if (process_ != 0 && threads != 0 && threads != Kokkos::num_threads()) {
    throw Error("threads is " + std::to_string(threads) + "; the first solve has started " +
                std::to_string(Kokkos::num_threads()) + ", and their number stays until Python ends");
  }
  threads_ = threads;
}

int Runtime::threads() const { return process_ != 0 && !finishing_ ? Kokkos::num_threads() : threads_; }

std::unique_lock<std::mutex> Runtime::enter() {
  std::unique_lock lock(mutex_);
  if (finishing_) throw Error("Python is ending, and solves have ended");
  start();
  return lock;
}

void Runtime::start() {
  if (process_ == getpid()) return;
  if (process_ != 0) {
    throw Error(
        "this process was forked from one that had solved, and has none of its threads; start processes by 'spawn', or "
        "fork before the first solve");
  }
  Kokkos::InitializationSettings settings;
  // What it warns of is how OpenMP places threads, and no mistake of the user.
  settings.set_disable_warnings(true);
  if (threads_ > 0) settings.set_num_threads(threads_);
  Kokkos::initialize(settings);
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
