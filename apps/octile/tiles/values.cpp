// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/values.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <octile/base/parallel.hpp>
#include <octile/certify/normalised.hpp>

#include "output/rounding.hpp"

namespace octile::app {
namespace {

/// Rows that a thread forms at a time: about a millisecond of work in a tile of usual size.
constexpr std::size_t rows_of_tile_at_once = 8;

}  // namespace

TileValues form_values(const Block& block, std::span<const PairResult> results, std::span<const PairResult> own,
                       Precision written, Statistics& statistics) {
  const bool normalized = !own.empty();
  TileValues formed{UninitializedVector<double>(block.places()), UninitializedVector<double>(block.places())};
  const auto form_row = [&](std::int32_t i, Statistics& counts) {
    const auto row = static_cast<std::size_t>(i);
    for (std::int32_t j = block.symmetric() ? i : block.columns.begin; j < block.columns.end; ++j) {
      const std::size_t place = block.place({i, j});
      if (normalized && i == j) {
        formed.values[place] = 1;
        formed.errors[place] = 0;
        counts.add(row, row, own[row], 0);
        continue;
      }
      const PairResult& result = results[place];
      PairResult asked = normalized ? normalised({i, j}, result, own[row], own[static_cast<std::size_t>(j)]) : result;
      round_for(written, asked.value, asked.error_bound);
      formed.values[place] = asked.value;
      formed.errors[place] = asked.error_bound;
      PairResult counted = result;
      counted.status = asked.status;
      counts.add(row, static_cast<std::size_t>(j), counted, asked.error_bound);
      if (!block.symmetric() || i == j) continue;
      const std::size_t mirrored = block.place({j, i});
      formed.values[mirrored] = asked.value;
      formed.errors[mirrored] = asked.error_bound;
    }
  };
  const auto rows = static_cast<std::size_t>(block.rows.size());
  // Added up in the order of rows, whatever thread counted them: lists of pairs are the same from run to run.
  std::vector<Statistics> parts((rows + rows_of_tile_at_once - 1) / rows_of_tile_at_once);
  in_parallel(rows, rows_of_tile_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      form_row(block.rows.begin + static_cast<std::int32_t>(row), parts[begin / rows_of_tile_at_once]);
    }
  });
  for (const Statistics& part : parts) statistics.add(part);
  return formed;
}

}  // namespace octile::app
