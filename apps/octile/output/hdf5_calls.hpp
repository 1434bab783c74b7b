// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// What writing and reading HDF5 have in common. Only hdf5_*.cpp include it.

namespace octile::app {
namespace hdf5 {

/// Numbers of rows and columns.
using Extent = std::vector<hsize_t>;

/// An open object of the library, which is closed at the end. Negative where the call that opened it failed.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closing)(hid_t)) : id_(id), close_(closing) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  hid_t id() const { return id_; }
  bool good() const { return id_ >= 0; }
  /// Closes it now. Returns whether that went well.
  bool close() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// An object that takes nothing but memory: a type, a space, properties. Throws `std::bad_alloc` where there is none.
Handle created(hid_t id, herr_t (*closing)(hid_t));

/// To be called before anything else of the library, which prints nothing from then on. Throws `std::bad_alloc`.
void begin();

/// Why the last call failed: the words of the system, where it is to blame, or else those of the library. For one line.
std::string reason();

/// Whether the last call failed for want of memory. A damaged file may ask for more than there is, too.
bool got_no_memory();

/// How files are opened: without the library's locks, which not all file systems have, and which outputs do not need.
Handle file_access();

/// Texts in UTF-8 of at most so many bytes, with bytes 0 behind shorter ones. Texts of any length would stand in a heap of the library's that
/// has no checksums, and that it crashes on where it is damaged.
Handle text_type(std::size_t bytes);

inline constexpr const char* text_of_request = "request";
inline constexpr const char* sum_of_document = "checksum";
inline constexpr std::array axes = {"rows", "columns"};
inline constexpr std::array texts_of_axis = {"names", "files"};
inline constexpr std::array numbers_of_axis = {"vertices", "edges", "file"};
/// Numbers of each graph that files of earlier versions lack.
inline constexpr std::array newer_numbers_of_axis = {"number", "line"};
inline constexpr const char* targets_of_axis = "targets";
inline constexpr const char* names_of_targets = "target_names";
inline constexpr const char* format_key = "format";
inline constexpr const char* values_name = "values";
/// The version of this layout.
inline constexpr unsigned format_number = 1;

}  // namespace hdf5
}  // namespace octile::app
