// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>

#include <octile/error.hpp>

#include "output/checksum.hpp"
#include "output/hdf5_calls.hpp"
#include "output/hdf5_matrix.hpp"
#include "output/locked_file.hpp"
#include "readers/system_reason.hpp"
#include "readers/text.hpp"

namespace octile::app {

using hdf5::Extent;
using hdf5::Handle;

struct Hdf5Matrix::File {
  explicit File(const std::string& name) : path(name), file(open(name)) {}

  struct Dataset {
    std::string name;
    Handle handle;
    Extent shape;
    Extent chunk;
  };

  Handle open(const std::string& name) const {
    // The library's words for a file that is not there would be many.
    const Descriptor readable(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    if (readable.number() < 0) refuse(fmt::format("cannot be read: {}", system_reason(errno)));
    hdf5::begin();
    const Handle access = hdf5::file_access();
    Handle opened(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
    if (!opened.good()) foreign(reason());
    return opened;
  }

  /// Why the last call failed. Throws `std::bad_alloc` where memory is lacking: there is not even room for the whole file. What a
  /// damaged file asks for may be more than any machine has.
  std::string reason() const {
    constexpr std::uintmax_t least = std::uintmax_t(1) << 24U;
    std::error_code fault;
    const std::uintmax_t size = std::filesystem::file_size(path, fault);
    if (hdf5::got_no_memory()) ::operator delete(::operator new(std::max(least, fault ? 0 : size)));
    return hdf5::reason();
  }

  [[noreturn]] void refuse(const std::string& what) const { throw Error(fmt::format("{}: {}", printable(path), what)); }
  [[noreturn]] void foreign(const std::string& why) const {
    refuse(fmt::format("is no matrix that octile wrote, or is damaged ({}); allowed is its --out FILE.h5", why));
  }
  void require(bool good, const char* what) const {
    if (!good) foreign(fmt::format("{}: {}", what, reason()));
  }

  Dataset open_dataset(hid_t where, const char* name, std::size_t rank) const {
    Handle dataset(H5Dopen2(where, name, H5P_DEFAULT), H5Dclose);
    require(dataset.good(), name);
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const int dimensions = H5Sget_simple_extent_ndims(space.id());
    if (dimensions == 1 && std::string_view(name) == hdf5::values_name) refuse(std::string(list_is_no_matrix));
    if (dimensions != static_cast<int>(rank)) foreign(fmt::format("the shape of {}", name));
    Extent shape(rank);
    require(H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr) >= 0, name);
    const Handle made(H5Dget_create_plist(dataset.id()), H5Pclose);
    Extent chunk(rank);
    if (H5Pget_layout(made.id()) != H5D_CHUNKED ||
        H5Pget_chunk(made.id(), static_cast<int>(rank), chunk.data()) != static_cast<int>(rank)) {
      foreign(fmt::format("{} has no chunks", name));
    }
    if (H5Pget_nfilters(made.id()) != 1 || !has_checksums(made.id())) {
      foreign(fmt::format("{} has no checksums", name));
    }
    return {name, std::move(dataset), std::move(shape), std::move(chunk)};
  }

  static bool has_checksums(hid_t made) {
    unsigned flags = 0;
    std::size_t count = 0;
    return H5Pget_filter_by_id2(made, H5Z_FILTER_FLETCHER32, &flags, &count, nullptr, 0, nullptr, nullptr) >= 0;
  }

  /// Opens one of the matrix again, with a cache that holds two rows of its chunks, so that neighbours of a value are at hand.
  Dataset open_matrix(const char* name, std::size_t bytes_of_value) const {
    Dataset dataset = open_dataset(file.id(), name, 2);
    constexpr std::size_t least = std::size_t(1) << 24U;
    constexpr std::size_t most = std::size_t(1) << 29U;
    constexpr std::size_t slots = 100003;
    const std::size_t strip = dataset.chunk[0] * (dataset.shape[1] + dataset.chunk[1]) * bytes_of_value;
    const Handle access = hdf5::created(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    require(H5Pset_chunk_cache(access.id(), slots, std::clamp(2 * strip, least, most), 0) >= 0, name);
    // As long as it is open, another handle shares its cache, of whatever size is asked for.
    require(dataset.handle.close(), name);
    Handle cached(H5Dopen2(file.id(), name, access.id()), H5Dclose);
    require(cached.good(), name);
    return {std::move(dataset.name), std::move(cached), std::move(dataset.shape), std::move(dataset.chunk)};
  }

  static bool is_text(hid_t type) { return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0; }

  std::string read_attribute(const char* name) const {
    const Handle attribute(H5Aopen(file.id(), name, H5P_DEFAULT), H5Aclose);
    require(attribute.good(), name);
    const Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose);
    if (!is_text(type.id()) || H5Sget_simple_extent_npoints(space.id()) != 1) foreign(name);
    std::string text(H5Tget_size(type.id()), '\0');
    const Handle native = hdf5::text_type(text.size());
    require(H5Aread(attribute.id(), native.id(), text.data()) >= 0, name);
    return text.substr(0, text.find('\0'));
  }

  std::uint64_t read_number(hid_t where, const char* name) const {
    const Handle attribute(H5Aopen(where, name, H5P_DEFAULT), H5Aclose);
    require(attribute.good(), name);
    const Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose);
    if (H5Tget_class(type.id()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.id()) != 1) foreign(name);
    std::uint64_t number = 0;
    require(H5Aread(attribute.id(), H5T_NATIVE_UINT64, &number) >= 0, name);
    return number;
  }

  std::vector<std::string> read_texts(hid_t where, const char* name) const {
    const Dataset dataset = open_dataset(where, name, 1);
    const Handle type(H5Dget_type(dataset.handle.id()), H5Tclose);
    if (!is_text(type.id())) foreign(name);
    const std::size_t length = H5Tget_size(type.id());
    const Handle native = hdf5::text_type(length);
    std::string bytes(length * dataset.shape[0], '\0');
    require(H5Dread(dataset.handle.id(), native.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0, name);
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < dataset.shape[0]; ++k) {
      const std::string text = bytes.substr(k * length, length);
      texts.push_back(text.substr(0, text.find('\0')));
    }
    return texts;
  }

  template <class Number>
  std::vector<Number> read_numbers(const Dataset& dataset, hid_t native) const {
    std::vector<Number> numbers(dataset.shape.size() == 1 ? dataset.shape[0] : dataset.shape[0] * dataset.shape[1]);
    require(H5Dread(dataset.handle.id(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0,
            dataset.name.c_str());
    return numbers;
  }

  nlohmann::json read_axis(const char* name) const {
    const Handle group(H5Gopen2(file.id(), name, H5P_DEFAULT), H5Gclose);
    require(group.good(), name);
    nlohmann::json axis;
    for (const char* const key : hdf5::texts_of_axis) axis[key] = read_texts(group.id(), key);
    for (const char* const key : hdf5::numbers_of_axis) {
      axis[key] = read_numbers<std::uint64_t>(open_dataset(group.id(), key, 1), H5T_NATIVE_UINT64);
    }
    for (const char* const key : hdf5::newer_numbers_of_axis) {
      if (H5Lexists(group.id(), key, H5P_DEFAULT) <= 0) continue;
      axis[key] = read_numbers<std::uint64_t>(open_dataset(group.id(), key, 1), H5T_NATIVE_UINT64);
    }
    if (H5Lexists(group.id(), hdf5::targets_of_axis, H5P_DEFAULT) <= 0) return axis;
    const std::vector<std::string> names = read_texts(group.id(), hdf5::names_of_targets);
    const Dataset dataset = open_dataset(group.id(), hdf5::targets_of_axis, 2);
    if (dataset.shape[1] != names.size()) foreign(hdf5::targets_of_axis);
    const auto targets = read_numbers<double>(dataset, H5T_NATIVE_DOUBLE);
    for (std::size_t k = 0; k < targets.size(); ++k) {
      axis[hdf5::targets_of_axis][names[k % names.size()]].push_back(
          std::isnan(targets[k]) ? nlohmann::json(nullptr) : nlohmann::json(targets[k]));
    }
    return axis;
  }

  nlohmann::json read_document() const {
    nlohmann::json document = nlohmann::json::parse(read_attribute(hdf5::text_of_request), nullptr, false);
    if (!document.is_object()) foreign(hdf5::text_of_request);
    for (const char* const axis : hdf5::axes) {
      if (H5Lexists(file.id(), axis, H5P_DEFAULT) > 0) document[axis] = read_axis(axis);
    }
    const std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (Checksum().add(text).text() != read_attribute(hdf5::sum_of_document)) {
      refuse(
          "is damaged: the request and the names do not match their checksum; allowed is the file as it was written");
    }
    return document;
  }

  const Dataset& part(Part which) const { return which == Part::values ? *values : *bounds; }

  /// Reads a window of whole rows of chunks.
  template <class Number>
  void read(const Dataset& dataset, const Window& window, hid_t native, Number* numbers) const {
    const Extent begin{window.row, window.column};
    const Extent size{window.rows, window.columns};
    const Handle here = hdf5::created(H5Screate_simple(2, size.data(), nullptr), H5Sclose);
    const Handle there(H5Dget_space(dataset.handle.id()), H5Sclose);
    if (H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr) >= 0 &&
        H5Dread(dataset.handle.id(), native, here.id(), there.id(), H5P_DEFAULT, numbers) >= 0) {
      return;
    }
    const std::string why = reason();
    const std::string from = fmt::format("row {} and column {}", window.row, window.column);
    const std::string to = fmt::format("{} and {}", window.row + window.rows - 1, window.column + window.columns - 1);
    refuse(fmt::format("{} from {} to {} cannot be read ({}); allowed is the file as it was written", dataset.name,
                       from, to, why));
  }

  /// Gives all numbers to `take`, a chunk at a time.
  template <class Number, class Take>
  void scan(const Dataset& dataset, hid_t native, const Take& take) const {
    std::vector<Number> numbers(dataset.chunk[0] * dataset.chunk[1]);
    for (hsize_t row = 0; row < dataset.shape[0]; row += dataset.chunk[0]) {
      for (hsize_t column = 0; column < dataset.shape[1]; column += dataset.chunk[1]) {
        const Window window{row, column, std::min(dataset.chunk[0], dataset.shape[0] - row),
                            std::min(dataset.chunk[1], dataset.shape[1] - column)};
        read(dataset, window, native, numbers.data());
        take(std::span<const Number>(numbers.data(), window.rows * window.columns));
      }
    }
  }

  std::string path;
  Handle file;
  std::optional<Dataset> values;
  std::optional<Dataset> bounds;
  std::optional<Dataset> status;
};

Hdf5Matrix::Hdf5Matrix(const std::string& path) : file_(std::make_unique<File>(path)) {
  const std::uint64_t format = file_->read_number(file_->file.id(), hdf5::format_key);
  if (format != hdf5::format_number) {
    file_->refuse(fmt::format("is of format {}; allowed is {}", format, hdf5::format_number));
  }
  file_->values.emplace(file_->open_matrix(hdf5::values_name, sizeof(double)));
  file_->bounds.emplace(file_->open_matrix("bounds", sizeof(double)));
  file_->status.emplace(file_->open_matrix("status", 1));
  for (const File::Dataset* const dataset : {&*file_->values, &*file_->bounds, &*file_->status}) {
    constexpr hsize_t most = hsize_t(1) << 24U;  // values of a chunk of another writer
    if (dataset->shape != file_->values->shape || dataset->chunk[0] > most ||
        dataset->chunk[1] > most / dataset->chunk[0]) {
      file_->foreign(fmt::format("the shape of {}", dataset->name));
    }
  }
  rows_ = file_->values->shape[0];
  columns_ = file_->values->shape[1];
  document_ = file_->read_document();
}

Hdf5Matrix::~Hdf5Matrix() = default;

void Hdf5Matrix::read(Part part, std::size_t row, std::size_t column, std::span<double> numbers) const {
  file_->read(file_->part(part), {row, column, 1, numbers.size()}, H5T_NATIVE_DOUBLE, numbers.data());
}

std::size_t Hdf5Matrix::verify() const {
  for (const Part part : {Part::values, Part::bounds}) {
    file_->scan<double>(file_->part(part), H5T_NATIVE_DOUBLE, [](std::span<const double>) {});
  }
  std::size_t unconverged = file_->read_number(file_->status->handle.id(), "not_listed");
  file_->scan<std::uint8_t>(*file_->status, H5T_NATIVE_UINT8, [&unconverged](std::span<const std::uint8_t> states) {
    unconverged += static_cast<std::size_t>(std::ranges::count_if(
        states, [](std::uint8_t state) { return state != static_cast<std::uint8_t>(Status::converged); }));
  });
  return unconverged;
}

}  // namespace octile::app
