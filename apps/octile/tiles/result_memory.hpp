// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <octile/gram.hpp>

namespace octile::app {

/// The memory that is left of `memory` bytes for results, the set and the work space, when the graphs have theirs: twice, where a copy
/// of them is put in another order. Throws `Error` where they do not leave any.
std::size_t memory_beside_graphs(std::span<const Graph> graphs, bool reordered, std::size_t memory);

/// What a Gram matrix is kept and written with.
struct ResultKinds {
  bool errors = false;         ///< a bound for each value
  std::size_t parameters = 0;  ///< a derivative of each value by each of them
};

/// The memory that is left for the set and the work space, of `memory` bytes, when the results of so many graphs have theirs: the
/// pairs, the matrix, the derivatives, and the copies that are written. Throws `Error` where they do not leave any.
std::size_t memory_beside_results(std::size_t graphs, const ResultKinds& kinds, std::size_t memory);

/// The memory that is left for the set and the work space, of `memory` bytes, when the results of a list of pairs have
/// theirs. Throws `Error` where they do not leave any.
std::size_t memory_beside_pairs(std::size_t pairs, const ResultKinds& kinds, std::size_t memory);

/// Whether the results of so many graphs, all pairs of them or with `pairs` so many of these, take no more than half of the memory,
/// so that they may be kept as a whole.
bool results_are_small(std::size_t graphs, std::optional<std::size_t> pairs, const ResultKinds& kinds,
                       std::size_t memory);

/// The memory that is left for the set and the work space when a matrix is solved in tiles, whose results take `tile` bytes, and with
/// `normalized` those of each graph with itself are kept. Throws `Error` where none is left.
std::size_t memory_beside_tile(std::size_t graphs, bool normalized, std::size_t tile, std::size_t memory);

/// Throws `Error` that names the graphs of a pair that has more unknowns than are counted in 32 bits, or needs more than
/// `memory` bytes for the vectors of an iteration alone. The kernel says whether pairs are iterated at all.
void check_pair(const Graph& first, const Graph& second, const KernelSpec& kernel, std::size_t memory);

/// Throws `Error` as `check_pair` does, for the largest pair of a set: its largest graph with itself.
void check_largest_pair(std::span<const Graph> graphs, const KernelSpec& kernel, std::size_t memory);

}  // namespace octile::app
