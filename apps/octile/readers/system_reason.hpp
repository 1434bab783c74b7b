// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <cstring>
#include <new>

namespace octile::app {

/// What the system says of a call that failed with this `errno`, for a message about a file. Throws `std::bad_alloc` where memory was
/// lacking, as then the file is not to blame.
inline const char* system_reason(int code) {
  if (code == ENOMEM) throw std::bad_alloc();
  return std::strerror(code);
}

}  // namespace octile::app
