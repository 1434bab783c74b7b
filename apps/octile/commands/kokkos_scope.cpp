// SPDX-License-Identifier: BSD-3-Clause
#include "commands/kokkos_scope.hpp"

#include <octile/base/kokkos_settings.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "output/exit_codes.hpp"
#include "output/failures.hpp"
#include "output/message.hpp"
#include "output/uninterrupted.hpp"

namespace octile::app {
namespace {

/// While Kokkos starts, standard error goes here. Kokkos and the OpenMP library end the program where they do not like what the
/// environment says, after several lines; one of ours takes their place.
int their_words = -1;
int our_stderr = -1;
volatile std::sig_atomic_t starting = 0;

/// The first line of what was said, as far as it may be shown.
std::string_view first_line(char* buffer, std::size_t size) {
  const ssize_t count = ::pread(their_words, buffer, size, 0);
  std::string_view line(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
  line = line.substr(0, line.find('\n'));
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (static_cast<unsigned char>(line[k]) < 0x20U || static_cast<unsigned char>(line[k]) >= 0x7FU) buffer[k] = '?';
  }
  return line;
}

/// Called by a signal's handler and at exit.
[[noreturn]] void say_that_it_cannot_start() {
  char buffer[160] = {};
  const std::string_view line = first_line(buffer, sizeof buffer);
  say("octile: Kokkos cannot start here: ");
  say(line.empty() ? "it ended the program" : line);
  say("\n");
  ::_exit(exit_internal);
}

extern "C" void on_abort(int) {
  if (starting != 0) say_that_it_cannot_start();
}

void on_exit() {
  if (starting != 0) say_that_it_cannot_start();
}

/// Catches what ends the program while Kokkos starts.
class Starting {
 public:
  Starting() {
    their_words = ::memfd_create("octile", MFD_CLOEXEC);
    our_stderr = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (their_words < 0 || our_stderr < 0) return;
    ::dup2(their_words, STDERR_FILENO);
    say_to(our_stderr);
    std::atexit(on_exit);
    before_ = std::signal(SIGABRT, on_abort);
    starting = 1;
  }
  Starting& operator=(Starting&&) = delete;  // neither copied nor moved
  ~Starting() {
    if (starting != 0) {
      starting = 0;
      std::signal(SIGABRT, before_);
      ::dup2(our_stderr, STDERR_FILENO);
      say_to(STDERR_FILENO);
    }
    if (their_words >= 0) ::close(their_words);
    if (our_stderr >= 0) ::close(our_stderr);
  }

 private:
  void (*before_)(int) = SIG_DFL;
};

}  // namespace

KokkosScope::KokkosScope(int threads) {
  // A number of threads in the environment that is none is a mistake of the call.
  const Kokkos::InitializationSettings settings = as_usage([threads] { return kokkos_settings(threads); });
  try {
    const Starting until_it_has_started;
    Kokkos::initialize(settings);
  } catch (const std::exception& error) {
    throw StartError(
        fmt::format("Kokkos cannot start here (a build with CUDA needs a GPU and its driver): {}", error.what()));
  }
}

KokkosScope::~KokkosScope() { Kokkos::finalize(); }

std::size_t visible_devices() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return 0;
  const pid_t process = ::fork();
  if (process == 0) {
    const int count = Kokkos::num_devices();
    ::_exit(::write(ends[1], &count, sizeof count) == sizeof count ? exit_success : exit_internal);
  }
  ::close(ends[1]);
  int count = 0;
  ssize_t got = 0;
  if (process > 0) {
    got = uninterrupted([&] { return ::read(ends[0], &count, sizeof count); });
    int status = 0;
    uninterrupted([&] { return ::waitpid(process, &status, 0); });
  }
  ::close(ends[0]);
  return got == sizeof count && count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace octile::app
