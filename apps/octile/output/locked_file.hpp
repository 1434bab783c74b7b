// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

namespace octile::app {

/// An open file or folder, which is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  /// Negative where none is open.
  int number() const { return number_; }

 private:
  int number_;
};

/// Opens the file of this name in an open folder for reading and writing, by the flags of open(2) that are given besides, and locks
/// it by `flock` until it is closed. When this returns, the name is that of the file: what another run renames or removes before the
/// lock is there is opened again. Where that fails, none is open and `errno` says why, `EWOULDBLOCK` if another has the lock.
/// A file system without such locks does not tell two runs apart.
Descriptor open_locked(int folder, const std::string& name, int flags);

/// Reads the bytes of an open file from `place` on, until there are enough or it ends. Returns how many; nothing where it cannot be
/// read, and `errno` says why.
std::optional<std::size_t> read_at(int file, std::span<std::byte> bytes, std::uint64_t place);

}  // namespace octile::app
