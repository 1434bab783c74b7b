// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/tile_values.hpp"

#include <cstddef>
#include <cstdint>

#include <octile/certificate.hpp>

namespace octile::app {

TileValues form_values(const Block& block, std::span<const PairResult> results, std::span<const PairResult> own,
                       Statistics& statistics) {
  const bool normalized = !own.empty();
  TileValues formed{std::vector<double>(block.places()), std::vector<double>(block.places())};
  std::vector<double> column_scales;
  for (std::int32_t j = block.columns.begin; normalized && j < block.columns.end; ++j) {
    column_scales.push_back(normalising_scale(own[static_cast<std::size_t>(j)].value));
  }
  for (std::int32_t i = block.rows.begin; i < block.rows.end; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double scale = normalized ? normalising_scale(own[row].value) : 1;
    for (std::int32_t j = block.symmetric() ? i : block.columns.begin; j < block.columns.end; ++j) {
      const std::size_t place = block.place({i, j});
      if (normalized && i == j) {
        formed.values[place] = 1;
        statistics.add(row, row, own[row], 0);
        continue;
      }
      const PairResult& result = results[place];
      double value = result.value;
      double error = result.error_bound;
      if (normalized) {
        const auto column = static_cast<std::size_t>(j);
        value *= scale * column_scales[column - static_cast<std::size_t>(block.columns.begin)];
        error = normalised_error(error, own[row].error_bound, own[column].error_bound);
      }
      formed.values[place] = value;
      formed.errors[place] = error;
      statistics.add(row, static_cast<std::size_t>(j), result, error);
      if (!block.symmetric() || i == j) continue;
      const std::size_t mirrored = block.place({j, i});
      formed.values[mirrored] = value;
      formed.errors[mirrored] = error;
    }
  }
  return formed;
}

}  // namespace octile::app
