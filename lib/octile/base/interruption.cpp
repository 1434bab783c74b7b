// SPDX-License-Identifier: BSD-3-Clause
#include <octile/interruption.hpp>

#include <utility>

namespace octile {
namespace {

/// The innermost scope of this thread.
thread_local const InterruptionScope* current = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(const std::function<bool()>& go_on)
    : go_on_(go_on), before_(std::exchange(current, this)) {}

InterruptionScope::~InterruptionScope() { current = before_; }

bool asked_to_stop() {
  for (const InterruptionScope* scope = current; scope != nullptr; scope = scope->before_) {
    if (scope->go_on_ && !scope->go_on_()) return true;
  }
  return false;
}

void stop_if_asked() {
  if (asked_to_stop()) throw Interrupted();
}

}  // namespace octile
