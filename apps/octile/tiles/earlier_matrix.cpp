// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/earlier_matrix.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <octile/error.hpp>

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
}

void EarlierMatrix::compare_choice(const SolveFacts& facts) const {
  if (matrix_.identity().value(choice_key, "") == choice_of(facts)) return;
  say(
      fmt::format("octile: {}: the solver chooses otherwise for the larger set; the values that are there keep their "
                  "accuracy, but a whole run may give other last bits\n",
                  printable(matrix_.path())));
}

std::vector<double> EarlierMatrix::read(const Tile& tile) const {
  std::vector<double> values(tile.size());
  for (std::size_t i = 0; i < tile.rows; ++i) {
    matrix_.read(tile.row + i, tile.column, std::span(values).subspan(i * tile.columns, tile.columns));
  }
  return values;
}

}  // namespace octile::app
