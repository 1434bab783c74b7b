// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <octile/graph.hpp>
#include <octile/precision.hpp>

#include "output/target_table.hpp"
#include "readers/read.hpp"

namespace octile::app {

struct SolveFacts;

/// What is said of the numbers of a matrix, so that they can be judged later.
struct WrittenMatrix {
  std::string values;           ///< their checksum, a `PlacedChecksum` row by row
  std::string bounds;           ///< that of the bounds of their errors; empty where there are none
  std::size_t unconverged = 0;  ///< pairs that did not converge, with those that values are normalised by
  double largest_error = 0;     ///< the largest of the bounds, written or not
  std::string bounds_file{};    ///< where they are, from the folder of the matrix
};

/// The path of the bounds as seen from the folder of a .npy file; empty where there are none.
std::string bounds_file(const std::string& matrix, const std::string& bounds);

/// Adds "checksums", "unconverged_pairs", "largest_error", and of bounds in a file of their own "bounds_file".
void add_written(nlohmann::ordered_json& document, const WrittenMatrix& written);

/// The graphs behind the rows and columns of a matrix.
struct MatrixNames {
  std::string matrix;                    ///< the name of its file, without folders
  std::vector<std::size_t> shape;        ///< of its values
  std::span<const Graph> graphs;         ///< those of the rows, then those of the columns of a rectangle
  std::size_t rows = 0;                  ///< all of them, unless it is a rectangle
  std::span<const GraphSource> sources;  ///< where each graph was read
  const TargetTable* targets = nullptr;
  /// All that the values depend on, of which what the solver chose is a part; none for a list of pairs.
  std::function<nlohmann::json(const SolveFacts&)> identity{};
  /// Nothing as long as it is not solved, and for a part of one.
  std::optional<WrittenMatrix> written{};
};

/// Whether a matrix of this path is a file of HDF5, by its suffix: .h5 or .hdf5.
bool is_hdf5(const std::string& matrix);

/// Refuses names of a matrix and of its bounds that say no format, or one that this build does not write, and bounds for a file that
/// has them within. Throws `UsageError`.
void check_matrix_outputs(const std::string& out, const std::string& errors);

/// The precision that --out-precision names, for values in `out`. Throws `UsageError` for another name, and for float32 where they are
/// no matrix in a .npy file.
Precision written_precision(const std::string& name, const std::string& out);

/// The file that says what the rows and columns of a matrix are: K.json for K.npy; a file of HDF5 says it itself.
std::string names_path(const std::string& matrix);

/// Whether two paths are of one file, which need not be there yet.
bool is_same_path(const std::string& one, const std::string& other);

/// Throws `OutputError` where another file of that name is there that says nothing of a matrix of ours: it is not replaced.
void check_names_path(const std::string& path);

/// Adds "matrix", "shape" and "rows", and for a rectangle "columns": of each graph its name, its number of vertices and edges, its
/// file, its number and line there, and its targets; and "identity".
void add_names(nlohmann::ordered_json& document, const MatrixNames& names, const SolveFacts& facts);

}  // namespace octile::app
