// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstddef>
#include <string_view>

#include <sys/types.h>
#include <unistd.h>

namespace octile::app {

/// Makes a system call, and makes it again whenever a signal's handler has interrupted it. Returns what the call returns, with its errno.
template <class Call>
auto uninterrupted(const Call& call) {
  auto returned = call();
  while (returned < 0 && errno == EINTR) returned = call();
  return returned;
}

/// Writes all of a text. Where that fails it is false, and errno says why.
inline bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = uninterrupted([&] { return ::write(file, text.data(), text.size()); });
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace octile::app
