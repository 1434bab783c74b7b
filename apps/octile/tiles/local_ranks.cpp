// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "output/exit_codes.hpp"
#include "output/failures.hpp"
#include "output/uninterrupted.hpp"
#include "readers/text.hpp"
#include "tiles/connection.hpp"

// Processes of one machine: rank 0 forks the others and has a socket to each. A message is its length and its text. A socket takes a few
// hundred of them that rank 0 has not read, and a rank keeps what comes after.

namespace octile::app {
namespace {

[[noreturn]] void fail_to_begin(std::size_t rank) {
  throw StartError(fmt::format("process {} of --devices cannot be begun: {}", rank, std::strerror(errno)));
}

/// Writes the text, all of it or what the socket takes at once, and leaves the rest. Returns whether the other end is there.
bool send_out(int socket, std::string& text, bool wait) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = uninterrupted([&] {
      return ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
    });
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  text.erase(0, sent);
  return true;
}

bool receive_all(int socket, void* data, std::size_t size) {
  char* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = uninterrupted([&] { return ::recv(socket, to, size, 0); });
    if (count <= 0) return false;
    to += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

void append_message(std::string& messages, const std::string& text) {
  const std::uint64_t length = text.size();
  messages.append(reinterpret_cast<const char*>(&length), sizeof length);
  messages.append(text);
}

/// The first message of what has come, which it is taken from, if it is there as a whole.
std::optional<std::string> take_message(std::string& come) {
  std::uint64_t length = 0;
  if (come.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, come.data(), sizeof length);
  if (come.size() - sizeof length < length) return std::nullopt;
  std::string text = come.substr(sizeof length, length);
  come.erase(0, sizeof length + length);
  return text;
}

bool read_message(int socket, std::string& text) {
  std::uint64_t length = 0;
  if (!receive_all(socket, &length, sizeof length)) return false;
  text.resize(length);
  return receive_all(socket, text.data(), text.size());
}

/// A number that all processes count up, in memory that they share.
class SharedCounter {
 public:
  SharedCounter()
      : memory_(::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) fail_to_begin(1);
    number_ = new (memory_) Number(0);
  }
  SharedCounter& operator=(SharedCounter&&) = delete;  // neither copied nor moved
  ~SharedCounter() { ::munmap(memory_, sizeof(Number)); }

  std::uint64_t next() { return number_->fetch_add(1); }

 private:
  using Number = std::atomic<std::uint64_t>;
  static_assert(Number::is_always_lock_free, "processes share no lock");

  void* memory_;
  Number* number_;
};

/// The GPUs that processes may see, as CUDA's variable names them; numbers from 0 where it says nothing.
std::string device_of(std::size_t rank) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return std::to_string(rank);
  std::string_view rest = visible;
  for (std::size_t k = 0; k < rank; ++k) rest.remove_prefix(std::min(rest.size(), rest.find(',') + 1));
  return std::string(rest.substr(0, rest.find(',')));
}

/// One of the other processes, as rank 0 knows it.
struct Child {
  pid_t process = -1;
  int socket = -1;
  int words = -1;      ///< what it said on standard error
  std::string come{};  ///< of messages, and not taken yet
};

class LocalConnection final : public Connection {
 public:
  explicit LocalConnection(std::size_t count) : size_(count) {
    // What is still to be printed would be printed by each.
    std::fflush(nullptr);
    const std::string device = device_of(0);
    for (std::size_t rank = 1; rank < count && rank_ == 0; ++rank) begin(rank);
    if (rank_ == 0) ::setenv("CUDA_VISIBLE_DEVICES", device.c_str(), 1);
  }
  LocalConnection& operator=(LocalConnection&&) = delete;  // neither copied nor moved
  ~LocalConnection() override {
    if (rank_ != 0) {
      ::close(first_);
      return;
    }
    for (Child& child : children_) {
      if (child.process > 0 && std::uncaught_exceptions() > 0) ::kill(child.process, SIGKILL);
      if (child.socket >= 0) ::close(child.socket);
      ::close(child.words);
      end_of(child);
    }
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  std::size_t claim() override { return counter_.next(); }

  std::string broadcast(const std::string& text) override {
    if (rank_ == 0) {
      for (std::size_t k = 0; k < children_.size(); ++k) {
        std::string message;
        append_message(message, text);
        if (!send_out(children_[k].socket, message, true)) tell_the_end_of(k);
      }
      return text;
    }
    // Rank 0 may want to hear of this one before it speaks.
    deliver();
    std::string common;
    if (!read_message(first_, common)) end_with_first();
    return common;
  }

  void send(const std::string& text) override {
    append_message(unsent_, text);
    if (!send_out(first_, unsent_, false)) end_with_first();
  }

  void deliver() override {
    if (!send_out(first_, unsent_, true)) end_with_first();
  }

  std::optional<RankMessage> receive(bool wait) override {
    for (;;) {
      // Whose turn it is moves on, so that none is heard last for ever.
      for (std::size_t k = 0; k < children_.size(); ++k) {
        const std::size_t at = (turn_ + k) % children_.size();
        if (std::optional<std::string> text = take_message(children_[at].come)) {
          turn_ = at + 1;
          return RankMessage{at + 1, std::move(*text)};
        }
      }
      if (!read_what_has_come(wait)) return std::nullopt;
    }
  }

 private:
  /// Whether any process has written something, or has ended. Waits for it if asked to.
  bool read_what_has_come(bool wait) {
    std::vector<pollfd> sockets;
    for (const Child& child : children_) sockets.push_back({child.socket, POLLIN, 0});
    if (std::ranges::all_of(children_, [](const Child& child) { return child.socket < 0; })) {
      throw StartError("all other processes of --devices have ended before their work");
    }
    if (uninterrupted([&] { return ::poll(sockets.data(), sockets.size(), wait ? -1 : 0); }) <= 0) return false;
    std::array<char, std::size_t(1) << 16U> bytes{};
    for (std::size_t k = 0; k < sockets.size(); ++k) {
      if (sockets[k].revents == 0) continue;
      const ssize_t count =
          uninterrupted([&] { return ::recv(sockets[k].fd, bytes.data(), bytes.size(), MSG_DONTWAIT); });
      if (count > 0) {
        children_[k].come.append(bytes.data(), static_cast<std::size_t>(count));
      } else {
        tell_the_end_of(k);
      }
    }
    return true;
  }

  void begin(std::size_t rank) {
    std::array<int, 2> ends = {-1, -1};
    const int words = ::memfd_create("octile", MFD_CLOEXEC);
    if (words < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail_to_begin(rank);
    const pid_t first = ::getpid();
    const pid_t process = ::fork();
    if (process < 0) fail_to_begin(rank);
    if (process > 0) {
      ::close(ends[1]);
      children_.push_back({process, ends[0], words});
      return;
    }
    // Where rank 0 ends, whatever ends it, there is nothing left to do.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != first) ::_exit(exit_internal);
    ::close(ends[0]);
    for (const Child& child : children_) {
      ::close(child.socket);
      ::close(child.words);
    }
    children_.clear();
    rank_ = rank;
    first_ = ends[1];
    ::dup2(words, STDERR_FILENO);
    ::close(words);
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) {
      ::dup2(nothing, STDOUT_FILENO);
      ::close(nothing);
    }
    ::setenv("CUDA_VISIBLE_DEVICES", device_of(rank).c_str(), 1);
  }

  /// Waits for the end of a process that is not known to have ended. Returns its status.
  static int end_of(Child& child) {
    int status = 0;
    if (child.process < 0) return status;
    uninterrupted([&] { return ::waitpid(child.process, &status, 0); });
    child.process = -1;
    return status;
  }

  /// Throws what a process that has ended said last; one that was done is only forgotten.
  void tell_the_end_of(std::size_t k) {
    Child& child = children_[k];
    const int status = end_of(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == exit_success) {
      // poll() passes over it from here on.
      ::close(child.socket);
      child.socket = -1;
      return;
    }
    std::string said(1000, '\0');
    const ssize_t count = ::pread(child.words, said.data(), said.size(), 0);
    said.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    std::string_view line = trimmed(said);
    constexpr std::string_view own_name = "octile: ";
    if (line.starts_with(own_name)) line.remove_prefix(own_name.size());
    const std::string message = WIFSIGNALED(status)
                                    ? fmt::format("process {} of --devices was ended by signal {} ({})", k + 1,
                                                  WTERMSIG(status), ::strsignal(WTERMSIG(status)))
                                    : fmt::format("process {} of --devices: {}", k + 1, line);
    switch (WIFEXITED(status) ? WEXITSTATUS(status) : exit_internal) {
      case exit_input: throw Error(message);
      case exit_usage: throw UsageError(message);
      case exit_output: throw OutputError(message);
      default: throw StartError(message);
    }
  }

  [[noreturn]] static void end_with_first() { ::_exit(exit_internal); }

  SharedCounter counter_;
  std::size_t size_;
  std::size_t rank_ = 0;
  std::vector<Child> children_;  ///< at rank 0
  int first_ = -1;               ///< the socket to rank 0, elsewhere
  std::string unsent_;           ///< messages that it has not taken yet
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Connection> begin_local(std::size_t count) { return std::make_unique<LocalConnection>(count); }

}  // namespace octile::app
