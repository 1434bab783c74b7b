// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>

namespace octile {

/// Thrown by long work that was asked to stop.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// While it lives, long work of the thread that made it asks `go_on` now and then, and stops where that returns false.
/// An empty function lets all work end. Of several, each is asked. It is bound to the thread, so that what prepares data
/// for other work need not pass it on; Kokkos' other threads ask nothing. The function must outlive it.
class InterruptionScope {
 public:
  explicit InterruptionScope(const std::function<bool()>& go_on);
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;
  ~InterruptionScope();

 private:
  friend bool asked_to_stop();

  const std::function<bool()>& go_on_;
  const InterruptionScope* before_;
};

/// Whether a scope of this thread asks to stop; false where there is none. For code that cannot throw, such as a kernel.
bool asked_to_stop();

/// Throws `Interrupted` where a scope of this thread asks to stop. To be called once a graph, or a few times a second: it
/// costs two calls.
void stop_if_asked();

}  // namespace octile
