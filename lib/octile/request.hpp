// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/solve.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace octile {

/// Which of the two systems of a pair is solved. Both have the matrix S = D× V×⁻¹ − A× ⊙ E×, which is symmetric, and
/// both give K.
enum class RightHandSide : std::int32_t {
  stopping,  ///< S x = b, b = D× q×: x is the node-wise similarity, and K = p×ᵀ x
  starting,  ///< S y = p×, the adjoint system: K = bᵀ y; on an isolated vertex y depends on its d (stopping.hpp), b_k y_k not
};

/// A request to a solver.
struct Request {
  std::span<const Pair> pairs;
  RightHandSide right_hand_side = RightHandSide::stopping;
  /// Where the solution of each pair, n·m values row major, begins in `Answer::nodewise`; solutions must not overlap.
  /// Empty if only K is asked for.
  std::span<const std::size_t> nodewise_begin{};
};

/// Where the answer goes, in host memory.
struct Answer {
  std::span<PairResult> results;  ///< one a pair
  std::span<double> nodewise{};   ///< the solutions, x or y, if they are asked for
};

}  // namespace octile
