// SPDX-License-Identifier: BSD-3-Clause
#include "output/replaced_file.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/temporaries.hpp"

namespace octile::app {
namespace {

bool link_to(int folder, const std::string& from, const std::string& to) {
  return ::linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0;
}

/// Gives a file another name, which it takes from another file. A disk that has just refused to rename may still link.
bool move_to(int folder, const std::string& from, const std::string& to) {
  if (::renameat(folder, from.c_str(), folder, to.c_str()) == 0) return true;
  ::unlinkat(folder, to.c_str(), 0);
  if (!link_to(folder, from, to)) return false;
  ::unlinkat(folder, from.c_str(), 0);
  return true;
}

}  // namespace

ReplacedFile::ReplacedFile(int folder, std::string name)
    : folder_(folder), name_(std::move(name)), link_(random_name()) {
  struct stat old = {};
  // An error that does not tell counts as an old file: then nothing is put back, and no file is lost.
  was_there_ = ::fstatat(folder_, name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
  linked_ = was_there_ && link_to(folder_, name_, link_);
}

ReplacedFile::~ReplacedFile() {
  if (linked_) ::unlinkat(folder_, link_.c_str(), 0);
}

bool ReplacedFile::put_back(const std::string& kept) noexcept {
  if (was_there_ && !linked_) return false;
  if (!was_there_) {
    return kept.empty() ? ::unlinkat(folder_, name_.c_str(), 0) == 0 : move_to(folder_, name_, kept);
  }
  // At no time is there no file of that name, unless the disk refuses to rename.
  if (!kept.empty() && !link_to(folder_, name_, kept)) return false;
  if (!move_to(folder_, link_, name_)) return false;
  linked_ = false;
  return true;
}

}  // namespace octile::app
