// SPDX-License-Identifier: BSD-3-Clause
#include "last_words.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "output/exit_codes.hpp"
#include "output/message.hpp"
#include "output/temporaries.hpp"

namespace octile::app {
namespace {

std::atomic<bool>& is_meant() {
  static std::atomic<bool> is = false;
  return is;
}

[[noreturn]] void end_with(std::string_view line) {
  remove_temporaries();
  say(line);
  ::_exit(exit_internal);
}

[[noreturn]] void end_of_uncaught() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_with("octile: out of memory\n");
  } catch (const std::exception& error) {
    say("octile: internal error: ");
    say(std::string_view(error.what()).substr(0, std::string_view(error.what()).find('\n')));
    end_with("\n");
  } catch (...) {
  }
  end_with("octile: internal error\n");
}

void end_of_exit() {
  // OpenMP's library calls `exit` where it cannot start a thread, and has said so.
  if (!is_meant()) end_with("octile: a library that it uses ended the program\n");
}

/// A descriptor that is closed becomes one on which every read and write is refused, as on a closed one.
void occupy(int descriptor, int refused_mode) {
  if (::fcntl(descriptor, F_GETFD) >= 0) return;
  // The lowest free number is the wanted one, as those below are taken.
  ::open("/dev/null", refused_mode);
}

}  // namespace

void keep_streams_apart() {
  occupy(STDIN_FILENO, O_WRONLY);
  occupy(STDOUT_FILENO, O_RDONLY);
  occupy(STDERR_FILENO, O_RDONLY);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void leave_last_words() {
  std::set_terminate(end_of_uncaught);
  std::atexit(end_of_exit);
}

void end_is_meant() { is_meant() = true; }

}  // namespace octile::app
