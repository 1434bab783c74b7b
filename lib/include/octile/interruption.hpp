// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>

namespace octile {

/// Thrown by long-running work that was asked to stop.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }  ///< always this word
};

/// During its lifetime, long-running work of the thread that made it calls `go_on` now and then, and stops if that returns
/// false. An empty function never stops work. Of nested scopes all are asked. The scope belongs to the thread, so functions
/// need not pass it on to each other. Kokkos' other threads do not ask. The function must outlive the scope.
class InterruptionScope {
 public:
  /// Begins the scope on the calling thread.
  explicit InterruptionScope(const std::function<bool()>& go_on);
  InterruptionScope& operator=(InterruptionScope&&) = delete;  // neither copied nor moved
  ~InterruptionScope();

 private:
  friend bool asked_to_stop();

  const std::function<bool()>& go_on_;
  const InterruptionScope* before_;
};

/// Whether a scope of this thread asks to stop; false if there is no scope. For code that cannot throw, such as a kernel.
bool asked_to_stop();

/// Throws `Interrupted` if a scope of this thread asks to stop. Call it once a graph, or a few times a second; it costs
/// two function calls.
void stop_if_asked();

}  // namespace octile
