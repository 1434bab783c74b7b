// SPDX-License-Identifier: BSD-3-Clause
#include "output/hdf5_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "output/locked_file.hpp"
#include "output/message.hpp"
#include "readers/text.hpp"

namespace octile::app {
namespace hdf5 {
namespace {

struct Found {
  int code = 0;       ///< of the system
  std::string words;  ///< of the innermost function
  bool no_memory = false;
};

herr_t look_at(unsigned number, const H5E_error2_t* error, void* data) {
  auto& found = *static_cast<Found*>(data);
  const std::string_view text = error->desc == nullptr ? "" : error->desc;
  if (number == 0) {
    found.words = text;
    // The text counts too: not all places of the library have a code for missing memory.
    found.no_memory =
        text.starts_with("memory allocation failed") ||
        (error->maj_num == H5E_RESOURCE && (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC));
  }
  constexpr std::string_view key = "errno = ";
  if (const std::size_t at = text.find(key); at != std::string_view::npos && found.code == 0) {
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), found.code);
  }
  return 0;
}

/// Standard error takes nothing during its lifetime but what we say: a failure of the library is printed until it is told not to.
class Muted {
 public:
  Muted() : ours_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (ours_.number() < 0 || nowhere.number() < 0) return;
    say_to(ours_.number());
    muted_ = ::dup2(nowhere.number(), STDERR_FILENO) >= 0;
  }
  Muted& operator=(Muted&&) = delete;  // neither copied nor moved
  ~Muted() {
    if (muted_) ::dup2(ours_.number(), STDERR_FILENO);
    say_to(STDERR_FILENO);
  }

 private:
  Descriptor ours_;
  bool muted_ = false;
};

Found last_failure() {
  Found found;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at, &found);
  return found;
}

}  // namespace

Handle created(hid_t id, herr_t (*closing)(hid_t)) {
  if (id < 0) throw std::bad_alloc();
  return {id, closing};
}

void begin() {
  const Muted until_it_is_told;
  // What could not be written would be tried again when the program ends, after its file is gone.
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  // This call fails only where there is no memory.
  if (H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) < 0) throw std::bad_alloc();
}

bool got_no_memory() {
  const Found found = last_failure();
  return found.code == ENOMEM || (found.no_memory && found.code == 0);
}

std::string reason() {
  const Found found = last_failure();
  return found.code != 0 ? std::strerror(found.code) : printable(found.words);
}

Handle file_access() {
  Handle access = created(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
// 1.12.0 is from before it.
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
  H5Pset_file_locking(access.id(), false, true);
#endif
  // From this version on the file's own structure has checksums, too.
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

Handle text_type(std::size_t bytes) {
  Handle type = created(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::max<std::size_t>(1, bytes));
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

}  // namespace hdf5
}  // namespace octile::app
