// SPDX-License-Identifier: BSD-3-Clause
#include "output/message.hpp"

#include <atomic>
#include <cerrno>

#include <unistd.h>

namespace octile::app {
namespace {

std::atomic<int>& descriptor_of_messages() {
  static std::atomic<int> descriptor = STDERR_FILENO;
  return descriptor;
}

}  // namespace

void say_to(int descriptor) { descriptor_of_messages() = descriptor; }

void say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_of_messages(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace octile::app
