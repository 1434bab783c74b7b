// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/tile_values.hpp"

#include <cstddef>
#include <cstdint>

#include <octile/normalised.hpp>

#include "output/rounding.hpp"

namespace octile::app {

TileValues form_values(const Block& block, std::span<const PairResult> results, std::span<const PairResult> own,
                       Precision written, Statistics& statistics) {
  const bool normalized = !own.empty();
  TileValues formed{std::vector<double>(block.places()), std::vector<double>(block.places())};
  for (std::int32_t i = block.rows.begin; i < block.rows.end; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::int32_t j = block.symmetric() ? i : block.columns.begin; j < block.columns.end; ++j) {
      const std::size_t place = block.place({i, j});
      if (normalized && i == j) {
        formed.values[place] = 1;
        statistics.add(row, row, own[row], 0);
        continue;
      }
      const PairResult& result = results[place];
      PairResult asked = normalized ? normalised({i, j}, result, own[row], own[static_cast<std::size_t>(j)]) : result;
      round_for(written, asked.value, asked.error_bound);
      formed.values[place] = asked.value;
      formed.errors[place] = asked.error_bound;
      PairResult counted = result;
      counted.status = asked.status;
      statistics.add(row, static_cast<std::size_t>(j), counted, asked.error_bound);
      if (!block.symmetric() || i == j) continue;
      const std::size_t mirrored = block.place({j, i});
      formed.values[mirrored] = asked.value;
      formed.errors[mirrored] = asked.error_bound;
    }
  }
  return formed;
}

}  // namespace octile::app
