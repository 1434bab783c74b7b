// SPDX-License-Identifier: BSD-3-Clause
#include "runtime.hpp"

#include <octile/error.hpp>
#include <octile/interruption.hpp>

#include <Kokkos_Core.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

namespace octile::python {
namespace {

constexpr const char* threads_variable = "KOKKOS_NUM_THREADS";

/// The number of threads that Kokkos gets; 0 where it is left to the OpenMP library, which takes no more than there is room for.
int threads_for(int asked) {
  if (asked > 0) return asked;
  if (const char* const text = std::getenv(threads_variable)) {
    int number = 0;
    const char* const end = text + std::strlen(text);
    const auto [parsed, fault] = std::from_chars(text, end, number);
    if (fault != std::errc() || parsed != end || number < 1) {
      throw Error(std::string(threads_variable) + " in the environment is '" + text +
                  "'; allowed is a number from 1 to " + std::to_string(Runtime::most_threads));
    }
    return std::min(number, Runtime::most_threads);
  }
#ifdef _OPENMP
  if (omp_get_max_threads() > Runtime::most_threads) return Runtime::most_threads;
#endif
  return 0;
}

}  // namespace

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
  Kokkos::InitializationSettings settings;
  // What it warns of is how OpenMP places threads, and no mistake of the user.
  settings.set_disable_warnings(true);
  const int threads = threads_for(threads_);
  if (threads > 0) {
    settings.set_num_threads(threads);
    // Kokkos reads it first, and counts the threads of a region before it looks at the settings.
    ::unsetenv(threads_variable);
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
  }
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
