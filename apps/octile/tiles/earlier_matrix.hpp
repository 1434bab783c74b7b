// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "output/stored_matrix.hpp"
#include "output/summary.hpp"
#include "tiles/request.hpp"
#include "tiles/tiling.hpp"
#include "tiles/values.hpp"

namespace octile::app {

/// A matrix that was written earlier, whose graphs are the first of a larger set.
class EarlierMatrix {
 public:
  /// Opens it. Throws `Error` where it is of other graphs than the first of the request, or of another version, `UsageError` where it
  /// was solved with other options or written without the bounds that are asked for, and as `StoredMatrix`.
  EarlierMatrix(const std::string& path, const MatrixRequest& request);

  /// Graphs that it has.
  std::size_t size() const { return matrix_.rows(); }

  /// Says on standard error where the solver chose otherwise then: values are as exact, but not to the bit those of a whole run.
  void compare_choice(const SolveFacts& facts) const;

  /// Throws `Error` where its numbers are not those that were written.
  void verify() const;

  /// How many of its pairs did not converge, and the largest bound of an error, as it was written.
  std::size_t unconverged() const;
  double largest_error() const;

  /// A tile, row by row; bounds only where they are asked for.
  TileValues read(const Tile& tile) const;

 private:
  StoredMatrix matrix_;
  std::optional<StoredMatrix> bounds_;
};

}  // namespace octile::app
