// SPDX-License-Identifier: BSD-3-Clause
#include <octile/parallel.hpp>

#include <octile/interruption.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace octile {
namespace {

/// Whether this thread is executing a body.
thread_local bool in_body = false;

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

}  // namespace

void in_parallel(std::size_t count, std::size_t part, const std::function<void(std::size_t, std::size_t)>& body) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const std::size_t parts = (count + part - 1) / part;
  std::size_t threads = 1;
  if (parts > 1 && !in_body && Kokkos::is_initialized()) {
    threads = std::min(parts, static_cast<std::size_t>(Kokkos::num_threads()));
  }
  Parts all(count, part, body);
  if (threads > 1) {
    const Kokkos::RangePolicy<Space, int> policy(0, static_cast<int>(threads));
    Kokkos::parallel_for("octile::in_parallel", policy, Worker{&all});
    Space().fence("octile::in_parallel");
  } else {
    all.work();
  }
  all.rethrow();
}

}  // namespace octile
