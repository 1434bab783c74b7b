// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <csignal>
#include <string_view>

#include <unistd.h>

#include "output/exit_codes.hpp"
#include "output/message.hpp"
#include "output/temporaries.hpp"

namespace octile::app {
namespace {

// Nothing has to be undone but temporary files, so the handler can do it: work that never looks at a flag, such as a
// library's that reads one long line, or a read that waits for a pipe, ends as fast as any other. It calls only what POSIX
// allows there.
extern "C" void end_at_once(int signal) {
  if (!may_end(signal)) return;
  remove_temporaries();
  constexpr std::string_view erased_line = "\r\033[K";
  if (::isatty(STDERR_FILENO) == 1) say(erased_line);
  if (outputs_are_written()) {
    say("octile: interrupted after the outputs were written\n");
  } else if (unfinished_is_kept()) {
    say("octile: interrupted; what is done is kept, and the same command goes on\n");
  } else {
    say("octile: interrupted; nothing was written\n");
  }
  ::_exit(exit_interrupted);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = end_at_once;
  // None of them interrupts another's handler.
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace octile::app
