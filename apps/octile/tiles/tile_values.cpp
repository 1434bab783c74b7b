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
      auto [value, error] = normalized ? normalised({i, j}, result, own[row], own[static_cast<std::size_t>(j)])
                                       : CertifiedValue{result.value, result.error_bound};
      round_for(written, value, error);
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
