// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/layout/first_terms.hpp>
#include <octile/cuda/layout/vertex_arrays.hpp>
#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/start/projected_start.cuh>
#include <octile/solve.hpp>

#include <cstddef>

namespace octile::cuda {

/// Where *trials* of one of the two systems go, or their corrections. A trial is an approximate x or y from which a
/// value and a proof of its accuracy are formed afterwards (`Certifier`). Trials are x or y of `TrialValues`: every
/// other number. In float they are those of the stored systems (`VertexArrays`), with what they are to be multiplied
/// by.
struct TrialPlace {
  float* singles;
  double* scales;   ///< of singles, every other number, one a pair
  double* doubles;  ///< if singles is null
};

/// The work of one launch, which its blocks share.
struct Work {
  const Pair* pairs;
  PairResult* results;
  /// If not null, the results of the pairs' other systems, which were solved before: since the errors of both multiply,
  /// this solve may end earlier (`tolerance`).
  const PairResult* solved;
  /// The results of the adjoint systems, where a block solves both systems of a pair, at once or one behind the other; else null.
  PairResult* adjoint_results;
  int* next;  ///< the counter from which blocks claim pairs, initially 0; null: block b takes pairs b, b + blocks, …
  int count;
  float* workspace;  ///< `vector_count` vectors for each block
  std::size_t vector_count;
  std::size_t vector_length;          ///< of the largest pair
  RightHandSide right_hand_side;      ///< which system is solved, if no other right-hand side is given
  const float* given;                 ///< if not null, the right-hand sides, each where its pair's solution begins
  const double* given_scale;          ///< by what that of each pair is multiplied, and its solution divided
  double* nodewise;                   ///< if not null, receives the solutions
  const std::size_t* nodewise_begin;  ///< where that of each pair begins, and what else has a number an element
  TrialPlace trials;                  ///< where they go if they are trials
  Starts starts;
  FirstTerms first_terms;  ///< of the system that is solved, if its first product is formed so
  FirstTerms first_of_y;   ///< of that of y, if a block solves it behind that of x
  OctileChoice choice;
  float farther;  ///< how many times the tolerance one of both systems may leave where the other leaves less
  double scale;   ///< q²
  SolveOptions options;

  /// The tolerance for pair k. Where its other system was solved further than it had to be, this one may end earlier,
  /// but not by more than a factor, since what a solve predicts of its last residual is not always so.
  __device__ double tolerance(int k) const {
    return solved == nullptr ? options.tolerance : tolerance_beside(solved[k].residual, most_beside_other);
  }
  /// The tolerance of a system whose pair's other system left this residual; at most `most` times as large.
  __device__ double tolerance_beside(double residual, double most) const {
    return options.tolerance * fmin(fmax(options.tolerance / residual, 1.0), most);
  }
  /// By how much more than the tolerance one system's residual may be where the other's is less.
  static constexpr double most_beside_other = 4;

  /// Whether solutions are trials, by which values are certified: then a solve forms no K.
  KOKKOS_FUNCTION bool has_trials() const { return trials.singles != nullptr || trials.doubles != nullptr; }
  KOKKOS_FUNCTION bool keeps_solutions() const { return nodewise != nullptr || has_trials(); }

  /// The factor of x or y of the stored systems that gives x or y (`VertexArrays`).
  template <class Set>
  __device__ double solution_scale(const Set& set, int k, RightHandSide which) const {
    if (given != nullptr) return 1 / given_scale[k];
    return which == RightHandSide::stopping ? scale : scale_of_y(set, pairs[k]);
  }
  /// The factor of y of the stored systems that gives y.
  template <class Set>
  __device__ static double scale_of_y(const Set& set, Pair pair) {
    const GraphScales& first = set.scales(pair.first);
    const GraphScales& second = set.scales(pair.second);
    return first.weight * first.inverse_start * (second.weight * second.inverse_start);
  }
  /// The factor of K of the stored systems that gives K.
  template <class Set>
  __device__ double value_scale(const Set& set, Pair pair) const {
    return scale * (set.scales(pair.first).inverse_start * set.scales(pair.second).inverse_start);
  }

  /// About the size of b / D×, with room above for p× / D×, which is far from even where degrees are.
  template <class Set>
  __device__ float size_beside_kappa(const Set& set, Pair pair) const {
    constexpr double room = 1.0 / 64;
    if (given != nullptr || right_hand_side == RightHandSide::stopping) return 1;
    return static_cast<float>(room * set.scales(pair.first).ratio * set.scales(pair.second).ratio);
  }

  /// Σ D× of a pair whose adjoint system has a row with p× = 0, whose residual is then judged by b; else 0.
  template <class Set>
  __device__ double judged_by_volume(const Set& set, Pair pair, RightHandSide which) const {
    if (which == RightHandSide::stopping) return 0;
    const GraphScales& first = set.scales(pair.first);
    const GraphScales& second = set.scales(pair.second);
    return first.starts_everywhere != 0 && second.starts_everywhere != 0 ? 0.0 : first.volume * second.volume;
  }
  /// 1 / `judged_by_volume`, or 0 if that is 0.
  template <class Set>
  __device__ double inverse_volume(const Set& set, Pair pair, RightHandSide which) const {
    const double volume = judged_by_volume(set, pair, which);
    return volume > 0 ? 1 / volume : 0.0;
  }
};

/// The system that a launch solves of each pair.
class LaunchedSystem {
 public:
  __device__ explicit LaunchedSystem(const Work& work) : work_(work) {}

  __device__ static bool behind() { return false; }
  __device__ RightHandSide right_hand_side() const { return work_.right_hand_side; }
  __device__ double tolerance(int k) const { return work_.tolerance(k); }
  __device__ PairResult& result(int k) const { return work_.results[k]; }
  /// How many numbers the trials of this system lie behind `Work::trials`.
  __device__ static std::size_t offset() { return 0; }

 private:
  const Work& work_;
};

/// The systems that a block solves for a pair, one after the other: the launch's own, then that of y. Which one it is
/// stands in shared memory (`SharedHead::claimed`), since in a register it would live through the whole solve, and is
/// set before a barrier.
class SystemInTurn {
 public:
  __device__ SystemInTurn(const Work& work, const int& number) : work_(work), number_(number) {}

  __device__ bool behind() const { return number_ != 0; }
  __device__ RightHandSide right_hand_side() const {
    return behind() ? RightHandSide::starting : work_.right_hand_side;
  }
  /// The tolerance of the system. The result of the system before it must be in memory, with a barrier behind it.
  __device__ double tolerance(int k) const {
    return behind() ? work_.tolerance_beside(work_.results[k].residual, double(work_.farther)) : work_.tolerance(k);
  }
  __device__ PairResult& result(int k) const { return (behind() ? work_.adjoint_results : work_.results)[k]; }
  __device__ std::size_t offset() const { return behind() ? 1 : 0; }

 private:
  const Work& work_;
  const int& number_;
};

/// Where the solution of one pair goes: nowhere, to who asked for it, or to the trials.
class KeptSolution {
 public:
  template <class Set, class Asked>
  __device__ KeptSolution(const Work& work, const Set& set, int k, const Asked& asked) : work_(work) {
    if (!work.keeps_solutions()) return;
    begin_ = work.nodewise_begin[k];
    offset_ = asked.offset();
    scale_ = work.solution_scale(set, k, asked.right_hand_side());
    if (work.trials.singles != nullptr && threadIdx.x == 0)
      work.trials.scales[2 * static_cast<std::size_t>(k) + offset_] = scale_;
  }

  /// Calls `pass(put)`, if the solution is kept, where `put(element, x)` puts an element of the stored system's solution there. It is
  /// compiled for each place apart, so that a pass does not look for each element where that goes.
  template <class Pass>
  __device__ __forceinline__ void each_way(const Pass& pass) const {
    if (work_.nodewise != nullptr) {
      double* const to = work_.nodewise + begin_;
      pass([&](int element, float x) { to[element] = scale_ * double(x); });
    } else if (work_.trials.singles != nullptr) {
      // A correction of a trial may be below 0.
      const bool signed_too = work_.given != nullptr;
      float* const to = work_.trials.singles + 2 * begin_ + offset_;
      pass([&](int element, float x) { to[2 * std::size_t(element)] = x > 0 || signed_too ? x : 0.0F; });
    } else if (work_.trials.doubles != nullptr) {
      double* const to = work_.trials.doubles + 2 * begin_ + offset_;
      pass([&](int element, float x) { to[2 * std::size_t(element)] = x > 0 ? scale_ * double(x) : 0.0; });
    }
  }

 private:
  const Work& work_;
  std::size_t begin_ = 0;
  std::size_t offset_ = 0;
  double scale_ = 0;
};

/// The right-hand side of the system of one pair. `System` is its `PairSystem`.
template <class System, class Asked>
class RightSide {
 public:
  __device__ RightSide(const Work& work, int k, const System& system, const Asked& asked)
      : work_(work), k_(k), system_(system), asked_(asked) {}

  /// Whether the right-hand side is another than D×, which needs no memory.
  __device__ bool stored() const {
    return work_.given != nullptr || asked_.right_hand_side() == RightHandSide::starting;
  }
  /// Element ii' of a right-hand side that is `stored`.
  __device__ double value(int i, int j) const {
    if (work_.given == nullptr) return system_.starting(i, j);
    return work_.given_scale[k_] * double(work_.given[work_.nodewise_begin[k_] + i * system_.m + j]);
  }

 private:
  const Work& work_;
  int k_;
  const System& system_;
  const Asked& asked_;
};

}  // namespace octile::cuda
