// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace octile {

/// Which of the two systems of a pair is solved. Both have the matrix S = D× V×⁻¹ − A× ⊙ E×, which is symmetric, and both
/// give K.
enum class RightHandSide : std::int32_t {
  stopping,  ///< S x = b, b = D× q×: x is the node-wise similarity, and K = p×ᵀ x
  starting,  ///< S y = p×, the adjoint system: K = bᵀ y; on an isolated vertex y depends on its d (stopping.hpp), b_k y_k not
};

/// What is asked of a solver.
struct Request {
  std::span<const Pair> pairs;
  RightHandSide right_hand_side = RightHandSide::stopping;
  /// Where the solution of each pair, n·m values row major, is to begin in `Answer::nodewise`; they must not overlap.
  /// Empty: K alone is asked for.
  std::span<const std::size_t> nodewise_begin{};
};

/// Where the answer goes, in memory of the host.
struct Answer {
  std::span<PairResult> results;  ///< of each pair
  std::span<double> nodewise{};   ///< the solutions, x or y, where they are asked for
};

}  // namespace octile
