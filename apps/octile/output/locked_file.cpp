// SPDX-License-Identifier: BSD-3-Clause
#include "output/locked_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "output/uninterrupted.hpp"

namespace octile::app {

Descriptor open_locked(int folder, const std::string& name, int flags) {
  for (;;) {
    Descriptor file(::openat(folder, name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0666));
    if (file.number() < 0) return file;
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      file = Descriptor(-1);
      errno = EWOULDBLOCK;
      return file;
    }
    struct stat mine = {};
    struct stat named = {};
    if (::fstat(file.number(), &mine) == 0 && ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        mine.st_dev == named.st_dev && mine.st_ino == named.st_ino) {
      return file;
    }
  }
}

std::optional<std::size_t> read_at(int file, std::span<std::byte> bytes, std::uint64_t place) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::span<std::byte> rest = bytes.subspan(done);
    const ssize_t count =
        uninterrupted([&] { return ::pread(file, rest.data(), rest.size(), static_cast<off_t>(place + done)); });
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace octile::app
