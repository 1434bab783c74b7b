// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <octile/graph.hpp>

#include "output/target_table.hpp"

namespace octile::app {

struct SolveFacts;

/// The graphs behind the rows and columns of a matrix.
struct MatrixNames {
  std::string matrix;                  ///< the name of its file, without folders
  std::vector<std::size_t> shape;      ///< of its values
  std::span<const Graph> graphs;       ///< those of the rows, then those of the columns of a rectangle
  std::size_t rows = 0;                ///< all of them, unless it is a rectangle
  std::span<const std::string> files;  ///< from which each graph was read
  const TargetTable* targets = nullptr;
  /// All that the values depend on, of which what the solver chose is a part; none for a list of pairs.
  std::function<nlohmann::json(const SolveFacts&)> identity{};
};

/// The file that says what the rows and columns of a matrix are: K.json for K.npy.
std::string names_path(const std::string& matrix);

/// Whether two paths are of one file, which need not be there yet.
bool is_same_path(const std::string& one, const std::string& other);

/// Throws `OutputError` where another file of that name is there that says nothing of a matrix of ours: it is not replaced.
void check_names_path(const std::string& path);

/// Adds "matrix", "shape" and "rows", and for a rectangle "columns": of each graph its name, its number of vertices and edges, its
/// file, and its targets; and "identity".
void add_names(nlohmann::ordered_json& document, const MatrixNames& names, const SolveFacts& facts);

}  // namespace octile::app
