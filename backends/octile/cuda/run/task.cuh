// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/iterate/work.cuh>
#include <octile/cuda/plan/pairs.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace octile::cuda {

/// What the launches of a list of pairs have in common: which system they solve, and where its solutions and results go.
struct Task {
  RightHandSide right_hand_side;
  double* solutions;  ///< where they go; null: they are not kept, or are trials
  TrialPlace trials;  ///< of the first pair
  bool starts;        ///< whether pairs start from projected systems
  SolveOptions options;
  PairResult* results;
  DeviceResiduals given{};             ///< the right-hand sides, if they are others
  const PairResult* solved = nullptr;  ///< of the other systems, as `Work` has them
  float farther = 1;                   ///< `Work::farther` of a launch for this system and the other one
  double distributed = 1;              ///< products that distribute elements solve to this many times the tolerance

  /// The work of the launch for a part of the pairs. `begins` says where the solution of each pair begins, if solutions are kept or
  /// right-hand sides given.
  Work work(const Part& part, const Pair* pairs, const std::size_t* begins) const {
    Work work{};
    work.pairs = pairs + part.begin;
    work.results = results + part.begin;
    work.solved = solved != nullptr ? solved + part.begin : nullptr;
    work.right_hand_side = right_hand_side;
    work.options = options;
    work.given = given.values;
    work.given_scale = given.scale != nullptr ? given.scale + part.begin : nullptr;
    work.nodewise = solutions;
    work.nodewise_begin = begins != nullptr ? begins + part.begin : nullptr;
    work.trials = trials;
    if (trials.scales != nullptr) work.trials.scales += 2 * part.begin;
    // An error is estimated only where the value alone is asked for, of the system of x.
    if (work.keeps_solutions() || right_hand_side == RightHandSide::starting) work.options.estimated_error = 0;
    return work;
  }
};

/// A tier's pairs and everything that their launch takes.
struct TierLaunch {
  std::size_t tier;
  std::size_t stream;  ///< its number
  std::size_t side;    ///< 0, or 1 if it may run beside the launch of another task for the same tier and pairs
  Systems systems;
  unsigned grid;
  std::size_t shared_bytes;
  Work work;
  uint4* coefficients;  ///< where the solutions of its projected systems go; null: its pairs start at 0
};

/// The residuals of one of the two systems of many pairs, which are corrected. Memory is kept.
struct ResidualMemory {
  Array<float> values;
  Array<double> scale;

  DeviceResiduals residuals(const Kokkos::Cuda& space, std::size_t unknowns, std::size_t pairs) {
    grow(space, values, "residuals", unknowns);
    grow(space, scale, "residual_scales", pairs);
    return {values.data(), scale.data()};
  }
};

}  // namespace octile::cuda
