// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include <octile/precision.hpp>

#include "output/checksum.hpp"
#include "output/hdf5_matrix.hpp"
#include "output/locked_file.hpp"

namespace octile::app {

/// The text that a document of JSON has by this key; empty where it has none, or something else.
std::string text_at(const nlohmann::json& document, const char* key);

/// A matrix that octile wrote, of which parts are read: K.npy, with what K.json says of it, or K.h5.
class StoredMatrix {
 public:
  /// Opens the files. Throws `Error` where one cannot be read, is not what octile writes, or they are of different
  /// shapes, and `UsageError` for HDF5 in a build without.
  explicit StoredMatrix(const std::string& path);
  /// Opens the bounds of the values of a matrix, which have its shape and its names. Throws in the same way.
  StoredMatrix(const std::string& path, const StoredMatrix& matrix);

  const std::string& path() const { return path_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  /// The precision of the numbers in the file.
  Precision precision() const { return precision_; }
  /// What K.json says, or would say.
  const nlohmann::json& names() const { return names_; }
  /// All that the values depend on, as `identity_of` and `choice_of` say. Throws `Error` where K.json does not have it.
  const nlohmann::json& identity() const;

  /// The bounds of the values, if they are in the same file.
  std::optional<StoredMatrix> bounds() const;
  /// The file itself, if it is HDF5.
  const Hdf5Matrix* hdf5() const { return hdf5_.get(); }

  /// Values of a row from a column on. Throws `Error` where they cannot be read.
  void read(std::size_t row, std::size_t column, std::span<double> values) const;

  /// The checksum of all numbers as they stand in the file. Reads the whole file once.
  PlacedChecksum checksum() const;

 private:
  StoredMatrix(const StoredMatrix& matrix, Hdf5Matrix::Part part);
  void open();
  void read_header();
  void read_names();
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_;
  Descriptor file_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  Precision precision_ = Precision::float64;
  std::uint64_t begin_ = 0;  ///< of the values
  std::shared_ptr<const Hdf5Matrix> hdf5_;
  Hdf5Matrix::Part part_ = Hdf5Matrix::Part::values;
  nlohmann::json names_;
};

}  // namespace octile::app
