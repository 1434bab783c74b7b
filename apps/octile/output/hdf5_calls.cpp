// SPDX-License-Identifier: BSD-3-Clause
#include "output/hdf5_calls.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "readers/text.hpp"

namespace octile::app {
namespace hdf5 {
namespace {

struct Found {
  int code = 0;       ///< of the system
  std::string words;  ///< of the innermost function
};

herr_t look_at(unsigned number, const H5E_error2_t* error, void* data) {
  auto& found = *static_cast<Found*>(data);
  const std::string_view text = error->desc == nullptr ? "" : error->desc;
  if (number == 0) found.words = text;
  constexpr std::string_view key = "errno = ";
  if (const std::size_t at = text.find(key); at != std::string_view::npos && found.code == 0) {
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), found.code);
  }
  return 0;
}

}  // namespace

void begin() {
  // What could not be written would be tried again when the program ends, after its file is gone.
  static const herr_t once = H5dont_atexit();
  static_cast<void>(once);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string reason() {
  Found found;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_at, &found);
  return found.code != 0 ? std::strerror(found.code) : printable(found.words);
}

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
// 1.12.0 is from before it.
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
  H5Pset_file_locking(access.id(), false, true);
#endif
  // From this version on the file's own structure has checksums, too.
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  return access;
}

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::max<std::size_t>(1, bytes));
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

}  // namespace hdf5
}  // namespace octile::app
