// SPDX-License-Identifier: BSD-3-Clause
#include "output/stored_matrix.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <octile/error.hpp>

#include "output/matrix_names.hpp"
#include "output/npy.hpp"
#include "readers/system_reason.hpp"

namespace octile::app {
namespace {

/// The numbers of "'shape': (3, 4)" or "(3,)"; none where the text is another.
std::vector<std::size_t> shape_of(std::string_view header) {
  constexpr std::string_view key = "'shape': (";
  std::vector<std::size_t> shape;
  const std::size_t found = header.find(key);
  if (found == std::string_view::npos) return shape;
  const char* text = header.data() + found + key.size();
  const char* const end = header.data() + header.size();
  for (;;) {
    std::size_t number = 0;
    const auto [rest, fault] = std::from_chars(text, end, number);
    if (fault != std::errc()) return {};
    shape.push_back(number);
    if (rest == end || *rest != ',') return shape;
    text = rest + 1;
    while (text != end && *text == ' ') ++text;
    if (text != end && *text == ')') return shape;
  }
}

}  // namespace

StoredMatrix::StoredMatrix(const std::string& path) : path_(path), file_(-1) {
  open();
  read_names();
}

StoredMatrix::StoredMatrix(const StoredMatrix& matrix, Hdf5Matrix::Part part)
    : path_(matrix.path_),
      file_(-1),
      rows_(matrix.rows_),
      columns_(matrix.columns_),
      hdf5_(matrix.hdf5_),
      part_(part),
      names_(matrix.names_) {}

std::string text_at(const nlohmann::json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<StoredMatrix> StoredMatrix::bounds() const {
  if (!hdf5_) return std::nullopt;
  return StoredMatrix(*this, Hdf5Matrix::Part::bounds);
}

StoredMatrix::StoredMatrix(const std::string& path, const StoredMatrix& matrix)
    : path_(path), file_(-1), names_(matrix.names_) {
  open();
  if (rows_ == matrix.rows_ && columns_ == matrix.columns_) return;
  refuse(fmt::format("has {} rows and {} columns, and {} has {} and {}; allowed are the bounds of its values", rows_,
                     columns_, matrix.path_, matrix.rows_, matrix.columns_));
}

void StoredMatrix::open() {
  if (is_hdf5(path_)) {
    hdf5_ = std::make_shared<const Hdf5Matrix>(path_);
    rows_ = hdf5_->rows();
    columns_ = hdf5_->columns();
    return;
  }
  file_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file_.number() < 0) refuse(fmt::format("cannot be read: {}", system_reason(errno)));
  read_header();
}

void StoredMatrix::refuse(const std::string& what) const { throw Error(fmt::format("{}: {}", path_, what)); }

void StoredMatrix::read_header() {
  constexpr std::size_t longest = 256;
  std::string text(longest, '\0');
  const auto count = read_at(file_.number(), std::as_writable_bytes(std::span(text)), 0);
  if (!count) refuse(fmt::format("cannot be read: {}", system_reason(errno)));
  text.resize(*count);
  const std::vector<std::size_t> shape = shape_of(text);
  std::string header;
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    if (shape.empty() || !text.starts_with(npy_header(shape, precision))) continue;
    header = npy_header(shape, precision);
    precision_ = precision;
  }
  // Whatever else writes such files may order and pad the header otherwise: those are not ours.
  if (header.empty()) refuse("is no matrix that octile wrote; allowed is its --out FILE.npy or FILE.h5");
  if (shape.size() == 1) refuse(std::string(list_is_no_matrix));
  if (shape.size() != 2) {
    refuse(fmt::format(
        "has {} dimensions, as derivatives of --gradient have, and is no matrix; allowed is --out FILE.npy or "
        "FILE.h5 of all pairs or with --columns",
        shape.size()));
  }
  rows_ = shape[0];
  columns_ = shape[1];
  begin_ = header.size();
  struct stat status = {};
  const std::size_t bytes = header.size() + rows_ * columns_ * bytes_of_number(precision_);
  if (::fstat(file_.number(), &status) != 0 || static_cast<std::size_t>(status.st_size) != bytes) {
    refuse(fmt::format("has {} bytes; allowed are {}, as its header says", status.st_size, bytes));
  }
}

void StoredMatrix::read_names() {
  const std::string path = names_path(path_);
  if (hdf5_) {
    names_ = hdf5_->document();
  } else {
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(fmt::format("{}, which says what its rows are, cannot be read: {}", path, system_reason(errno)));
    names_ = nlohmann::json::parse(file, nullptr, false);
  }
  const nlohmann::json shape = {rows_, columns_};
  if (!names_.is_object() || names_.value("shape", nlohmann::json()) != shape) {
    refuse(fmt::format("{} is not of this matrix; allowed is the one that was written with it", path));
  }
}

const nlohmann::json& StoredMatrix::identity() const {
  const auto found = names_.find("identity");
  if (found != names_.end() && found->is_object()) return *found;
  refuse(
      fmt::format("{} does not say what its values depend on, as \"identity\"; allowed is a matrix of this version "
                  "of octile, of all pairs or with --columns",
                  names_path(path_)));
}

void StoredMatrix::read(std::size_t row, std::size_t column, std::span<double> values) const {
  if (hdf5_) {
    hdf5_->read(part_, row, column, values);
    return;
  }
  const std::uint64_t place = begin_ + (std::uint64_t(row) * columns_ + column) * bytes_of_number(precision_);
  read_numbers(precision_, values, [&](std::span<std::byte> bytes) {
    const auto count = read_at(file_.number(), bytes, place);
    if (!count) refuse(fmt::format("cannot be read: {}", system_reason(errno)));
    if (*count < bytes.size()) refuse("ends too early; allowed is the file as it was written");
  });
}

PlacedChecksum StoredMatrix::checksum() const {
  PlacedChecksum sum;
  std::vector<double> values(columns_);
  for (std::size_t row = 0; row < rows_; ++row) {
    read(row, 0, values);
    sum.add(std::uint64_t(row) * columns_, values);
  }
  return sum;
}

}  // namespace octile::app
