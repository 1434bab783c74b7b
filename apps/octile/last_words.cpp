// SPDX-License-Identifier: BSD-3-Clause
#include "last_words.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string_view>

#include <execinfo.h>
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

/// One line of these parts. A signal's handler may call it.
[[noreturn]] void end_with(std::initializer_list<std::string_view> parts) {
  remove_temporaries();
  say("octile: ");
  for (const std::string_view part : parts) say(part);
  if (outputs_are_written()) say(after_all_is_written);
  say("\n");
  ::_exit(exit_internal);
}

[[noreturn]] void end_of_uncaught() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_with({"out of memory"});
  } catch (const std::exception& error) {
    const std::string_view what = error.what();
    end_with({"internal error: ", what.substr(0, what.find('\n'))});
  } catch (...) {
  }
  end_with({"internal error"});
}

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    default: return "SIGABRT";
  }
}

// Libraries crash where they do not look whether there was memory: that of HDF5 does. One that comes while another is handled ends
// the program as the system does.
extern "C" void end_of_crash(int signal) {
  end_with({"internal error: the program or a library that it uses crashed by ", name_of(signal),
            "; libraries do where memory is lacking"});
}

void catch_crashes() {
  // A stack that is full has no room for the handler.
  constexpr std::size_t size = std::size_t(1) << 16U;
  static std::array<char, size> memory;
  stack_t stack = {};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = end_of_crash;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    // Sanitizers have handlers of their own.
    if (before.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
  }
}

void end_of_exit() {
  // OpenMP's library calls `exit` where it cannot start a thread, and has said so.
  if (!is_meant()) end_with({"a library that it uses ended the program"});
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
  // The system's library for unwinding is looked for now: threads that end where memory is lacking could not load it any more.
  void* place = nullptr;
  ::backtrace(&place, 1);
  std::set_terminate(end_of_uncaught);
  std::atexit(end_of_exit);
  catch_crashes();
}

void end_is_meant() { is_meant() = true; }

}  // namespace octile::app
