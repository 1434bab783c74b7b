// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/two.cuh>
#include <octile/on_device/trials.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace octile::cuda {

/// What row ii' of both systems has: the diagonal of M, and the elements of b and of p×.
struct RowOfBoth {
  double diagonal;
  Two right_hand_sides;
};

/// The solutions of both systems of a pair, in registers.
template <int K>
struct SolutionsInRegisters {
  Registers<K, Two> values;

  __device__ void clear(const Slot& slot) { values[slot] = {0, 0}; }
  __device__ void add(const Slot& slot, const Two& more) { values[slot] += more; }
  __device__ Two get(const Slot& slot) { return values[slot]; }
};

/// The solutions of both systems of a pair, in global memory where the pair's trials are to be. Nothing waits for what
/// is written there.
struct SolutionsInTrials {
  TrialValues<float>* trials;
  int size;  ///< elements; what is beyond is padding, and belongs to another pair
  __device__ void clear(const Slot& slot) { put(slot, {0, 0}); }
  __device__ void add(const Slot& slot, const Two& more) {
    if (slot.element < size) put(slot, get(slot) + more);
  }
  __device__ Two get(const Slot& slot) {
    const float2 both = __ldcg(reinterpret_cast<const float2*>(trials) + slot.element);
    return {both.x, both.y};
  }

 private:
  __device__ void put(const Slot& slot, const Two& both) {
    if (slot.element < size) __stcg(reinterpret_cast<float2*>(trials) + slot.element, float2{both.x, both.y});
  }
};

/// Where the solutions of both systems lie, with K elements a thread which has `Available` registers: M takes K of them, and the residuals
/// 2 K.
template <int K, int Available>
struct PlaceOfSolutions {
  static constexpr int besides = 40;  ///< registers that take no vectors
  using type = std::conditional_t<5 * K + besides <= Available, SolutionsInRegisters<K>, SolutionsInTrials>;
};

/// The steps of `iterate_both`, with M and the residuals in registers, each thread its elements. The directions p are in shared memory, of both
/// systems beside each other, and so is N p, whose place q = (M − N) p takes.
///
/// `row_of(slot)` returns the slot's `RowOfBoth`, (1, 0, 0) in padding.
template <class Team, int K, class Solutions, class Apply, class RowOf>
class BothSteps {
 public:
  /// There are `length` elements, with padding. `trials` is where solutions go that are not in registers.
  __device__ BothSteps(const Team& team, const Apply& apply, const RowOf& row_of, int length, Two* p, Two* a,
                       const SolutionsInTrials& trials)
      : team_(team), apply_(apply), row_of_(row_of), length_(length), p_(p), a_(a) {
    if constexpr (std::is_same_v<Solutions, SolutionsInTrials>) solutions_ = trials;
  }

  /// ‖M⁻¹ r‖² of both systems, and rᵀ M⁻¹ r.
  struct Residuals {
    Two norms;
    Two rho;
  };

  /// Both solutions ← 0, r ← b and p×, p ← M⁻¹ r.
  __device__ __forceinline__ Residuals begin() {
    team_.in_turn(length_, [&](const Slot& slot) {
      const RowOfBoth row = row_of_(slot);
      a_[slot.element] = {static_cast<float>(row.diagonal), 0};
      p_[slot.element] = row.right_hand_sides;
    });
    float sums[4] = {};
    Team::each(length_, [&](const Slot& slot) {
      const Two r = p_[slot.element];
      diagonal_[slot] = a_[slot.element].x;
      a_[slot.element] = {0, 0};  // in padding nothing else is ever written
      solutions_.clear(slot);
      residuals_[slot] = r;
      p_[slot.element] = preconditioned(slot, r, sums);
    });
    return summed(sums);
  }

  __device__ __forceinline__ void apply() { apply_(); }

  /// pᵀ (M − N) p of both.
  __device__ __forceinline__ Two curvature() {
    float sums[2] = {};
    Team::each(length_, [&](const Slot& slot) {
      const Two p = p_[slot.element];
      const Two q = diagonal_[slot] * p - a_[slot.element];
      a_[slot.element] = q;
      sums[0] += p.x * q.x;
      sums[1] += p.y * q.y;
    });
    team_.all_sums(sums);
    return {sums[0], sums[1]};
  }

  /// r ← r − α q.
  __device__ __forceinline__ Residuals step(const Two& alpha) {
    float sums[4] = {};
    Team::each(length_, [&](const Slot& slot) {
      const Two r = residuals_[slot] - alpha * a_[slot.element];
      residuals_[slot] = r;
      preconditioned(slot, r, sums);
    });
    return summed(sums);
  }

  /// x ← x + α p, p ← M⁻¹ r + β p.
  __device__ __forceinline__ void advance(const Two& alpha, const Two& beta) {
    Team::each(length_, [&](const Slot& slot) {
      const Two p = p_[slot.element];
      solutions_.add(slot, alpha * p);
      p_[slot.element] = fast_reciprocal(diagonal_[slot]) * residuals_[slot] + beta * p;
    });
    Team::barrier();
  }

  /// x ← x + α p.
  __device__ __forceinline__ void leave(const Two& alpha) {
    Team::each(length_, [&](const Slot& slot) { solutions_.add(slot, alpha * p_[slot.element]); });
  }

  /// Both solutions of an element of the calling thread's.
  __device__ __forceinline__ Two solution(const Slot& slot) { return solutions_.get(slot); }

 private:
  /// Returns M⁻¹ r, and adds its part of the sums.
  __device__ __forceinline__ Two preconditioned(const Slot& slot, const Two& r, float (&sums)[4]) {
    const Two z = fast_reciprocal(diagonal_[slot]) * r;
    sums[0] += z.x * z.x;
    sums[1] += z.y * z.y;
    sums[2] += r.x * z.x;
    sums[3] += r.y * z.y;
    return z;
  }
  __device__ __forceinline__ Residuals summed(float (&sums)[4]) const {
    team_.all_sums(sums);
    return {{sums[0], sums[1]}, {sums[2], sums[3]}};
  }

  const Team& team_;
  const Apply& apply_;
  const RowOf& row_of_;
  int length_;
  Two* p_;
  Two* a_;
  Registers<K> diagonal_;
  Registers<K, Two> residuals_;
  Solutions solutions_;
};

/// How far both solves of a pair have come.
struct BothResults {
  PairResult x;
  PairResult y;
};

/// Conjugate gradients for both systems of a pair at once, each with steps of its own, so that they share the walk over edges and the
/// barriers of each iteration. As `iterate` with `SolveOptions::judged_later`: the last residual is that of the recurrence, or predicted from
/// it where the last step takes the α of the step before, without a product.
///
/// Errors of both solutions multiply, so it ends where the product of both relative residuals is at most `tolerance`², and neither is more
/// than `farther` times the tolerance: 1 where both have to be as exact, as for derivatives. A system whose curvature is not positive, or not
/// a number, stays where it is (α = 0), and the other one goes on to the tolerance itself. Every thread of a team calls it; all get the same.
template <class Steps>
__device__ __forceinline__ BothResults iterate_both(Steps& steps, const SolveOptions& options, float farther) {
  constexpr float least = Kokkos::Experimental::norm_min_v<float>;
  constexpr float most = 1 / (4 * least);   // of a number whose reciprocal is normal
  constexpr float margin = 0.8F;            // below the goal, where a last step is predicted
  constexpr float least_tolerance = 1e-9F;  // its fourth power is a normal number; float32 reaches 1e-6
  const float tolerance = fmaxf(static_cast<float>(options.tolerance), least_tolerance);
  const float goal = tolerance * tolerance;
  const float farthest = farther * farther * goal;
  const auto now = steps.begin();
  const Two start = now.norms;
  Two rho = now.rho;
  Two left{1, 1};  // ‖M⁻¹r‖² beside those of the start
  // A system that is stuck takes steps of α = 0 from then on.
  bool stuck_x = !(goal * start.x >= least && start.x <= most);
  bool stuck_y = !(goal * start.y >= least && start.y <= most);
  const auto enough = [&](const Two& squares) {
    if (stuck_x) return stuck_y || squares.y <= goal;
    if (stuck_y) return squares.x <= goal;
    return squares.x * squares.y <= goal * goal && squares.x <= farthest && squares.y <= farthest;
  };
  int iterations = 0;
  bool ended = enough(left);
  const bool broken_x = stuck_x;
  const bool broken_y = stuck_y;
  while (!ended && iterations < options.max_iterations) {
    steps.apply();
    const Two curvature = steps.curvature();
    const auto length = [](bool& stuck, float of_residual, float along) {
      if (!(along > 0 && along <= most)) stuck = true;
      return stuck ? 0.0F : of_residual * fast_reciprocal(along);
    };
    const Two alpha{length(stuck_x, rho.x, curvature.x), length(stuck_y, rho.y, curvature.y)};
    const auto next = steps.step(alpha);
    ++iterations;
    const Two before = left;
    left = {next.norms.x * fast_reciprocal(start.x), next.norms.y * fast_reciprocal(start.y)};
    // A residual of 0 stays 0, so that its system is stuck, too.
    const auto share = [](bool& stuck, float after, float of_residual) {
      if (!(after > 0)) stuck = true;
      return stuck ? 0.0F : after * fast_reciprocal(of_residual);
    };
    const Two beta{share(stuck_x, next.rho.x, rho.x), share(stuck_y, next.rho.y, rho.y)};
    rho = next.rho;
    ended = enough(left);
    if (ended) {
      steps.leave(alpha);
      break;
    }
    steps.advance(alpha, beta);
    const Two predicted{left.x * (left.x * fast_reciprocal(before.x)), left.y * (left.y * fast_reciprocal(before.y))};
    // A first step predicts nothing.
    if (iterations > 1 && enough((1 / margin) * predicted) && iterations < options.max_iterations) {
      steps.leave(alpha);
      ++iterations;
      left = predicted;
      ended = true;
    }
  }
  const auto result_of = [&](bool broken, bool stuck, float square) {
    PairResult result;  // a breakdown
    result.iterations = iterations;
    result.residual = sqrtf(square);
    // Without a step that did anything there is no solution.
    if (broken || !Kokkos::isfinite(square) || (stuck && square >= 1)) return result;
    result.status = ended && !(stuck && square > goal) ? Status::converged
                    : stuck                            ? Status::stagnated
                                                       : Status::iteration_limit;
    return result;
  };
  return {result_of(broken_x, stuck_x, left.x), result_of(broken_y, stuck_y, left.y)};
}

}  // namespace octile::cuda
