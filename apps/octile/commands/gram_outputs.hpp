// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <octile/parameters.hpp>
#include <octile/precision.hpp>

#include "commands/gram_arguments.hpp"
#include "output/file.hpp"
#include "output/matrix_names.hpp"
#include "output/summary.hpp"
#include "tiles/matrix_files.hpp"
#include "tiles/nearest.hpp"

namespace octile::app {

/// What was solved, as it is written.
struct SolvedMatrix {
  std::vector<std::size_t> shape;
  Precision written = Precision::float64;  ///< of the values in a .npy file
  std::vector<double> values;
  std::vector<double> errors;       ///< if they are asked for
  std::vector<double> derivatives;  ///< of the shape and by every parameter, if they are asked for
  std::vector<Parameter> parameters;
  Summary summary;
  std::unique_ptr<MatrixFiles> tiled;  ///< instead of values and errors, if they are written already
  std::unique_ptr<Nearest> nearest;    ///< instead of them, if these are asked for
  bool is_part = false;                ///< whether some tiles are solved, and written to a part
};

/// The texts that go with a solve, each made when it is written.
struct SolvedTexts {
  std::function<std::string()> summary;
  std::function<std::string()> names;
  std::function<void(std::ostream&)> neighbours;
};

/// Makes the values what the file keeps, and counts that in their bounds.
void round_values(SolvedMatrix& solved, Precision written);

/// What is said of the numbers of a matrix that is whole; nothing of a part, or of a list of neighbours.
std::optional<WrittenMatrix> written_matrix(const GramArguments& arguments, const SolvedMatrix& solved);

/// Writes all files that are asked for, or none. Throws `OutputError`.
void write_files(Outputs& outputs, const GramArguments& arguments, const SolvedMatrix& solved, const Request& request,
                 std::size_t graphs, const SolvedTexts& texts);

}  // namespace octile::app
