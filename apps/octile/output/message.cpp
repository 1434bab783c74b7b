// SPDX-License-Identifier: BSD-3-Clause
#include "output/message.hpp"

#include <atomic>

#include <unistd.h>

#include "output/uninterrupted.hpp"

namespace octile::app {
namespace {

std::atomic<int>& descriptor_of_messages() {
  static std::atomic<int> descriptor = STDERR_FILENO;
  return descriptor;
}

}  // namespace

void say_to(int descriptor) { descriptor_of_messages() = descriptor; }

void say(std::string_view text) {
  write_all(descriptor_of_messages(), text);  // there is nobody to tell that messages cannot be written
}

}  // namespace octile::app
