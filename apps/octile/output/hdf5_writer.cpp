// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include <octile/version.hpp>

#include "output/checksum.hpp"
#include "output/failures.hpp"
#include "output/hdf5_calls.hpp"
#include "output/hdf5_matrix.hpp"

namespace octile::app {
namespace {

using hdf5::Extent;
using hdf5::Handle;

/// Values of a chunk, 1 MiB of float64, and its rows in a matrix.
constexpr hsize_t chunk_size = hsize_t(1) << 17U;
constexpr hsize_t chunk_rows = 256;
/// Values that are in memory at a time.
constexpr std::size_t most_at_once = std::size_t(1) << 21U;

Extent chunk_of(const Extent& shape) {
  if (shape.size() == 1) return {std::min(shape[0], chunk_size)};
  return {std::min(shape[0], chunk_rows), std::min(shape[1], chunk_size / chunk_rows)};
}

/// Texts one after the other, each as long as the longest.
struct PaddedTexts {
  explicit PaddedTexts(const std::vector<std::string>& texts)
      : length(std::max<std::size_t>(1, std::ranges::max(texts, {}, &std::string::size).size())),
        type(hdf5::text_type(length)),
        bytes(length * texts.size(), '\0') {
    for (std::size_t k = 0; k < texts.size(); ++k) texts[k].copy(bytes.data() + k * length, length);
  }

  std::size_t length;
  Handle type;
  std::string bytes;
};

class Writer {
 public:
  Writer(const std::string& name, std::string path)
      : path_(std::move(path)), plain_(hdf5::created(H5Pcreate(H5P_FILE_CREATE), H5Pclose)), file_(make(name)) {}

  void write(const Hdf5Contents& contents) {
    write_document(contents.document);
    const Extent shape(contents.shape.begin(), contents.shape.end());
    write_matrix(hdf5::values_name, shape, contents.values);
    write_matrix("bounds", shape, contents.bounds);
    write_status(shape, contents);
    require(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
    require(file_.close());
  }

 private:
  Handle make(const std::string& name) const {
    // Times would make files differ that have the same contents.
    H5Pset_obj_track_times(plain_.id(), false);
    const Handle access = hdf5::file_access();
    Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, plain_.id(), access.id()), H5Fclose);
    require(file.good());
    return file;
  }

  void require(bool good) const {
    if (good) return;
    if (hdf5::got_no_memory()) throw std::bad_alloc();
    throw OutputError(fmt::format("{}: cannot be written: {}", path_, hdf5::reason()));
  }
  const Handle& required(const Handle& handle) const {
    require(handle.good());
    return handle;
  }

  Handle make_dataset(hid_t where, const char* name, hid_t type, const Extent& shape) const {
    const int rank = static_cast<int>(shape.size());
    const Handle space = hdf5::created(H5Screate_simple(rank, shape.data(), nullptr), H5Sclose);
    const Handle made = hdf5::created(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Extent chunk = chunk_of(shape);
    require(H5Pset_chunk(made.id(), rank, chunk.data()) >= 0 && H5Pset_obj_track_times(made.id(), false) >= 0);
    require(H5Pset_fletcher32(made.id()) >= 0);
    // Without a cache a chunk is written at once, and so is what the disk says of it.
    const Handle access = hdf5::created(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    require(H5Pset_chunk_cache(access.id(), 1, 0, 1) >= 0);
    Handle dataset(H5Dcreate2(where, name, type, space.id(), H5P_DEFAULT, made.id(), access.id()), H5Dclose);
    require(dataset.good());
    return dataset;
  }

  void write_texts(hid_t where, const char* name, const std::vector<std::string>& texts) const {
    const PaddedTexts padded(texts);
    Handle dataset = make_dataset(where, name, padded.type.id(), {texts.size()});
    require(H5Dwrite(dataset.id(), padded.type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.bytes.data()) >= 0);
    require(dataset.close());
  }

  void write_numbers(hid_t where, const char* name, const std::vector<std::uint64_t>& numbers) const {
    Handle dataset = make_dataset(where, name, H5T_STD_U64LE, {numbers.size()});
    require(H5Dwrite(dataset.id(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
    require(dataset.close());
  }

  void write_attribute(hid_t where, const char* name, hid_t type, hid_t native, hsize_t count, const void* data) const {
    const Handle space =
        hdf5::created(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle attribute(H5Acreate2(where, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    require(attribute.good() && H5Awrite(attribute.id(), native, data) >= 0);
  }
  void write_attribute(const char* name, const std::string& text) const {
    const PaddedTexts padded({text});
    write_attribute(file_.id(), name, padded.type.id(), padded.type.id(), 0, padded.bytes.data());
  }

  void write_axis(const char* name, const nlohmann::json& axis) const {
    const Handle made = hdf5::created(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_obj_track_times(made.id(), false);
    const Handle group(H5Gcreate2(file_.id(), name, H5P_DEFAULT, made.id(), H5P_DEFAULT), H5Gclose);
    required(group);
    for (const char* const key : hdf5::texts_of_axis) write_texts(group.id(), key, axis.at(key));
    for (const char* const key : hdf5::numbers_of_axis) write_numbers(group.id(), key, axis.at(key));
    for (const char* const key : hdf5::newer_numbers_of_axis) {
      if (axis.contains(key)) write_numbers(group.id(), key, axis.at(key));
    }
    const auto targets = axis.find(hdf5::targets_of_axis);
    if (targets == axis.end()) return;
    std::vector<std::string> names;
    for (const auto& [name_of_target, list] : targets->items()) names.push_back(name_of_target);
    write_texts(group.id(), hdf5::names_of_targets, names);
    const std::size_t graphs = axis.at("names").size();
    std::vector<double> values;
    values.reserve(graphs * names.size());
    for (std::size_t graph = 0; graph < graphs; ++graph) {
      for (const nlohmann::json& list : *targets) {
        const nlohmann::json& value = list.at(graph);
        values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
      }
    }
    Handle dataset = make_dataset(group.id(), hdf5::targets_of_axis, H5T_IEEE_F64LE, {graphs, names.size()});
    require(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    require(dataset.close());
  }

  void write_document(std::string text) const {
    // A name with a byte 0 would end there.
    constexpr std::string_view zero = "\\u0000";
    constexpr std::string_view replacement = "\\ufffd";
    for (std::size_t at = text.find(zero); at != std::string::npos; at = text.find(zero, at)) {
      std::size_t slashes = 0;
      while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) text.replace(at, zero.size(), replacement);
      at += zero.size();
    }
    nlohmann::ordered_json request = nlohmann::ordered_json::parse(text);
    const nlohmann::json document = nlohmann::json::parse(text);
    write_attribute("octile", OCTILE_VERSION_STRING);
    write_attribute(file_.id(), hdf5::format_key, H5T_STD_U32LE, H5T_NATIVE_UINT, 0, &hdf5::format_number);
    for (const char* const axis : hdf5::axes) {
      if (!document.contains(axis)) continue;
      write_axis(axis, document.at(axis));
      request.erase(axis);
    }
    write_attribute(hdf5::text_of_request, request.dump(1, ' '));
    write_attribute(hdf5::sum_of_document, Checksum().add(document.dump()).text());
  }

  void write_matrix(const char* name, const Extent& shape, const Hdf5Contents::Fill& fill) const {
    Handle dataset = make_dataset(file_.id(), name, H5T_IEEE_F64LE, shape);
    const Handle there(H5Dget_space(dataset.id()), H5Sclose);
    const Extent chunk = chunk_of(shape);
    const hsize_t columns = shape.size() == 1 ? 1 : shape[1];
    // Whole chunks at a time.
    const hsize_t most_columns =
        shape.size() == 1 ? 1 : std::max<hsize_t>(1, most_at_once / chunk[0] / chunk[1]) * chunk[1];
    std::vector<double> values;
    for (hsize_t row = 0; row < shape[0]; row += chunk[0]) {
      for (hsize_t column = 0; column < columns; column += most_columns) {
        const Window window{row, column, std::min(chunk[0], shape[0] - row), std::min(most_columns, columns - column)};
        values.resize(window.rows * window.columns);
        fill(window, values);
        const Extent begin{row, column};
        const Extent size{window.rows, window.columns};
        const Handle here =
            hdf5::created(H5Screate_simple(static_cast<int>(shape.size()), size.data(), nullptr), H5Sclose);
        require(H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr) >= 0 &&
                H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, here.id(), there.id(), H5P_DEFAULT, values.data()) >= 0);
      }
    }
    require(dataset.close());
  }

  void write_status(const Extent& shape, const Hdf5Contents& contents) const {
    // Chunks that are not written take no place, and read as 0: converged.
    Handle dataset = make_dataset(file_.id(), "status", H5T_STD_U8LE, shape);
    std::vector<std::string> names;
    for (const Status status : {Status::converged, Status::stagnated, Status::iteration_limit, Status::breakdown}) {
      names.emplace_back(status_name(status));
    }
    const PaddedTexts padded(names);
    write_attribute(dataset.id(), "names", padded.type.id(), padded.type.id(), names.size(), padded.bytes.data());
    const std::uint64_t unlisted = contents.unlisted;
    write_attribute(dataset.id(), "not_listed", H5T_STD_U64LE, H5T_NATIVE_UINT64, 0, &unlisted);
    const Handle there(H5Dget_space(dataset.id()), H5Sclose);
    constexpr std::size_t most_places = std::size_t(1) << 20U;
    const std::span all(contents.unconverged);
    for (std::size_t done = 0; done < all.size(); done += most_places) {
      const auto some = all.subspan(done, std::min(most_places, all.size() - done));
      Extent places;
      std::vector<std::uint8_t> states;
      for (const Hdf5Contents::PairStatus& pair : some) {
        places.push_back(pair.row);
        if (shape.size() > 1) places.push_back(pair.column);
        states.push_back(static_cast<std::uint8_t>(pair.status));
      }
      const hsize_t count = states.size();
      const Handle here = hdf5::created(H5Screate_simple(1, &count, nullptr), H5Sclose);
      require(H5Sselect_elements(there.id(), H5S_SELECT_SET, states.size(), places.data()) >= 0 &&
              H5Dwrite(dataset.id(), H5T_NATIVE_UINT8, here.id(), there.id(), H5P_DEFAULT, states.data()) >= 0);
    }
    require(dataset.close());
  }

  std::string path_;
  Handle plain_;
  Handle file_;
};

}  // namespace

void require_hdf5(const std::string&) {}

void write_hdf5(Outputs& outputs, const std::string& path, const Hdf5Contents& contents) {
  outputs.add_by_name(path, [&](const std::string& name) {
    hdf5::begin();
    Writer(name, path).write(contents);
  });
}

}  // namespace octile::app
