// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <octile/solve.hpp>

#include "output/file.hpp"

// A matrix as one file of HDF5, with all that stands beside a .npy file in its .json. docs/matrices.md says what is in it. The library
// is known to hdf5_*.cpp alone; a build without it takes hdf5_none.cpp.

namespace octile::app {

/// Throws `UsageError` where this build has no HDF5.
void require_hdf5(const std::string& path);

/// What is said of an output of `octile gram` that has no rows and columns, where a matrix is to be read.
inline constexpr std::string_view list_is_no_matrix =
    "is a list of values, as --diagonal and --pairs write it, and no matrix; allowed is --out FILE.npy or FILE.h5 of "
    "all pairs or with "
    "--columns";

/// Some rows and columns of a matrix.
struct Window {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// What a file is made of. A list of values, whose shape has one number, counts as one column.
struct Hdf5Contents {
  using Fill = std::function<void(const Window&, std::span<double>)>;
  struct PairStatus {
    std::size_t row = 0;
    std::size_t column = 0;
    Status status = Status::converged;
  };

  std::string document;  ///< what would stand beside a .npy file: the request and the graphs, as JSON
  std::vector<std::size_t> shape;
  Fill values;  ///< gives those of a window, row by row
  Fill bounds;  ///< those of their relative errors
  std::vector<PairStatus> unconverged;
  std::size_t unlisted = 0;  ///< unconverged pairs whose places are not known, or that only normalise others
};

/// Writes a file as an output, from a buffer of 16 MiB. Equal contents give equal bytes. Throws `OutputError`.
void write_hdf5(Outputs& outputs, const std::string& path, const Hdf5Contents& contents);

/// A file that is open to be read. Functions throw `Error` that names it, where it cannot be read, is damaged or is another file.
class Hdf5Matrix {
 public:
  /// Opens it, and checks the document by its checksum.
  explicit Hdf5Matrix(const std::string& path);
  Hdf5Matrix& operator=(Hdf5Matrix&&) = delete;  // neither copied nor moved
  ~Hdf5Matrix();

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  const nlohmann::json& document() const { return document_; }

  enum class Part { values, bounds };
  /// Numbers of a row from a column on.
  void read(Part part, std::size_t row, std::size_t column, std::span<double> numbers) const;

  /// Reads all values, bounds and states, so that HDF5 compares their checksums. Returns how many pairs did not converge, with
  /// those that only normalise others.
  std::size_t verify() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  nlohmann::json document_;
};

}  // namespace octile::app
