// SPDX-License-Identifier: BSD-3-Clause
#include <octile/base/parallel.hpp>

#include <octile/base/own_threads.hpp>
#include <octile/interruption.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace octile {
namespace {

/// Whether this thread is executing a body.
thread_local bool in_body = false;

/// How many threads there are where Kokkos is not initialised.
std::atomic<int> own_threads = 1;

/// Parts that threads claim one by one.
class Parts {
 public:
  Parts(std::size_t count, std::size_t part, const std::function<void(std::size_t, std::size_t)>& body)
      : count_(count), part_(part), body_(body) {}

  void work() {
    const bool before = std::exchange(in_body, true);
    claim();
    in_body = before;
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void claim() {
    while (!failed_) {
      // A claimed part is always executed, so that all parts before a failed one are done.
      const std::size_t begin = part_ * next_++;
      if (begin >= count_) return;
      try {
        stop_if_asked();
        body_(begin, std::min(begin + part_, count_));
      } catch (...) {
        fail(begin, std::current_exception());
      }
    }
  }

  void fail(std::size_t begin, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (failure_ && first_ < begin) return;
    first_ = begin;
    failure_ = std::move(failure);
    failed_ = true;
  }

  std::size_t count_;
  std::size_t part_;
  const std::function<void(std::size_t, std::size_t)>& body_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::size_t first_ = 0;
  std::exception_ptr failure_;
};

/// The functor that each thread runs.
struct Worker {
  Parts* parts;
  void operator()(int) const { parts->work(); }
};

/// Works in so many threads, of which the calling one is the first.
void work_in_own_threads(Parts& all, std::size_t threads) {
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    while (others.size() + 1 < threads) others.emplace_back([&all] { all.work(); });
  } catch (const std::exception&) {
    // The system has no more of them, or no memory for one: those that there are do all.
  }
  all.work();
  for (std::thread& other : others) other.join();
}

}  // namespace

OwnThreads::OwnThreads(int threads) { own_threads = std::max(threads, 1); }

OwnThreads::~OwnThreads() { own_threads = 1; }

void in_parallel(std::size_t count, std::size_t part, const std::function<void(std::size_t, std::size_t)>& body) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const std::size_t parts = (count + part - 1) / part;
  const bool by_kokkos = Kokkos::is_initialized();
  std::size_t threads = 1;
  if (parts > 1 && !in_body) {
    threads = std::min(parts, static_cast<std::size_t>(by_kokkos ? Kokkos::num_threads() : own_threads.load()));
  }
  Parts all(count, part, body);
  if (threads > 1 && !by_kokkos) {
    work_in_own_threads(all, threads);
  } else if (threads > 1) {
    const Kokkos::RangePolicy<Space, int> policy(0, static_cast<int>(threads));
    Kokkos::parallel_for("octile::in_parallel", policy, Worker{&all});
    Space().fence("octile::in_parallel");
  } else {
    all.work();
  }
  all.rethrow();
}

}  // namespace octile
