// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <csignal>

#include <octile/gram.hpp>

namespace octile::app {
namespace {

// A signal handler may access no other kind of variable.
volatile std::sig_atomic_t signal_came = 0;

extern "C" void remember_signal(int) { signal_came = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = remember_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return signal_came != 0; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace octile::app
