// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/earlier_matrix.hpp"

#include <filesystem>
#include <limits>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

#include "output/failures.hpp"
#include "output/matrix_names.hpp"
#include "output/message.hpp"
#include "readers/text.hpp"

namespace octile::app {

EarlierMatrix::EarlierMatrix(const std::string& path, const MatrixRequest& request) : matrix_(path) {
  const std::string names = names_path(path);
  if (matrix_.rows() > request.graphs.size()) {
    throw Error(fmt::format("{}: has {}, and the input has {}; allowed is an input that begins with its graphs", path,
                            counted(matrix_.rows(), "graph"), with_commas(request.graphs.size())));
  }
  nlohmann::json before = matrix_.identity();
  MatrixRequest first = request;
  first.graphs = request.graphs.first(matrix_.rows());
  first.rows = matrix_.rows();
  nlohmann::json now = identity_of(first);
  // Bounds are another file, and what the solver chooses for the larger set is compared later.
  for (const char* const key : {"--errors", choice_key}) {
    before.erase(key);
    now.erase(key);
  }
  require_same(before, now, names, "an input that begins with its graphs, and the same options");
  if (!request.errors) return;
  bounds_ = matrix_.bounds();
  if (bounds_) return;
  const std::string beside = text_at(matrix_.names(), "bounds_file");
  if (beside.empty()) {
    throw UsageError(
        fmt::format("--extend {}: was written without bounds; allowed is --out FILE.npy without --errors", path));
  }
  bounds_.emplace((std::filesystem::path(path).parent_path() / beside).string(), matrix_);
}

void EarlierMatrix::compare_choice(const SolveFacts& facts) const {
  if (text_at(matrix_.identity(), choice_key) == choice_of(facts)) return;
  say(
      fmt::format("octile: {}: the solver chooses otherwise for the larger set; the values that are there keep their "
                  "accuracy, but a whole run may give other last bits\n",
                  printable(matrix_.path())));
}

void EarlierMatrix::verify() const {
  // A file of HDF5 is compared with its own checksums as it is read.
  if (matrix_.hdf5() != nullptr) return;
  const nlohmann::json expected = matrix_.names().value("checksums", nlohmann::json::object());
  const auto check = [&](const StoredMatrix& matrix, const char* key) {
    if (text_at(expected, key) == matrix.checksum().text()) return;
    throw Error(fmt::format("{}: does not match the checksum in {}; allowed are both as they were written",
                            matrix.path(), names_path(matrix_.path())));
  };
  check(matrix_, "values");
  if (bounds_) check(*bounds_, "bounds");
}

std::size_t EarlierMatrix::unconverged() const {
  const nlohmann::json count = matrix_.names().value("unconverged_pairs", nlohmann::json());
  return count.is_number_unsigned() ? count.get<std::size_t>() : 0;
}

double EarlierMatrix::largest_error() const {
  const nlohmann::json bound = matrix_.names().value("largest_error", nlohmann::json());
  return bound.is_number() ? bound.get<double>() : std::numeric_limits<double>::infinity();
}

TileValues EarlierMatrix::read(const Tile& tile) const {
  TileValues found;
  const auto fill = [&tile](const StoredMatrix& matrix, UninitializedVector<double>& numbers) {
    numbers.resize(tile.size());
    for (std::size_t i = 0; i < tile.rows; ++i) {
      matrix.read(tile.row + i, tile.column, std::span(numbers).subspan(i * tile.columns, tile.columns));
    }
  };
  fill(matrix_, found.values);
  if (bounds_) fill(*bounds_, found.errors);
  return found;
}

}  // namespace octile::app
