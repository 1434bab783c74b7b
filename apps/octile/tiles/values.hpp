// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include <octile/base/uninitialized.hpp>
#include <octile/pairs/block.hpp>
#include <octile/precision.hpp>
#include <octile/solve.hpp>

#include "tiles/statistics.hpp"

namespace octile::app {

/// A tile as it is written, row by row.
struct TileValues {
  UninitializedVector<double> values;
  UninitializedVector<double> errors;  ///< bounds of their relative errors
};

/// What is made of the results of a block, at its places, of which it counts the pairs in `statistics`. With `own`, the result of
/// each graph with itself by number, values are normalised, and the block has no
/// such pairs; those of a symmetric block are counted nevertheless. Values are those of `gram`, to the bit, rounded to what is written, for
/// any number of threads. Throws `Interrupted` if the caller is asked to stop.
TileValues form_values(const Block& block, std::span<const PairResult> results, std::span<const PairResult> own,
                       Precision written, Statistics& statistics);

}  // namespace octile::app
