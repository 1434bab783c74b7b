// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/team.cuh>
#include <octile/cuda/block/warp.cuh>
#include <octile/pairs/conjugate_gradient.hpp>

#include <type_traits>

namespace octile::cuda {

/// The element of M and of b that belongs to one element of x, in double, what its residual is judged by, and what K is the sum of
/// the solution times, but for the value's scale.
struct SystemRow {
  double diagonal;
  double right_hand_side;
  double judged_by;
  double weight;
};

/// The steps of `iterate` with M, x, r and q in registers, each thread its elements, and p and a = N p in shared
/// memory. One vector q serves twice, for (M − N) p and then for M⁻¹ r:
///
///     curvature    q ← M p − a        step    r ← r − α q, q ← M⁻¹ r        advance    x ← x + α p, p ← q + β p
///
/// So besides the product, an iteration reads shared memory three times an element and writes it once. With 1,024
/// threads registers are short, and q takes the place of a in shared memory.
///
/// `rows(plain)` gives a function of a slot that returns its `SystemRow`, (1, 0, 0, 0) in padding. `plain` is a type: whether b = D×.
/// There are two copies of each pass that calls it: in one, what the other right-hand sides need would take registers from D×.
template <class Team, int K, class Apply, class Rows>
class RegisterSteps {
 public:
  using Real = float;
  static constexpr Real guess_margin = 0.8F;
  static constexpr bool starts = false;

  __device__ RegisterSteps(const Team& team, const Apply& apply, const Rows& rows, bool plain, int length,
                           Bounds<float>* bounds, float* p, float* a)
      : team_(team), apply_(apply), rows_(rows), plain_(plain), length_(length), bounds_(bounds), p_{p}, a_{a} {
    if constexpr (q_in_shared) q_.values = a;
  }

  __device__ __forceinline__ Sums<float> begin() {
    if (plain_) {
      read_system(std::true_type());
    } else {
      read_system(std::false_type());
    }
    // x = 0, r = b and K = 0
    return team_.residual_sums(length_, ResidualAndValue{{{}, 0, 1}}, [&](Slot slot, ResidualSums& mine) {
      const float r = p_[slot];
      diagonal_[slot] = a_[slot];
      a_[slot] = 0;  // in padding nothing else is ever written
      x_[slot] = 0;
      start(slot, r, mine.sums);
    });
  }

  __device__ __forceinline__ void apply(float) { apply_(); }

  __device__ __forceinline__ float curvature() {
    return team_.one_sum(length_, [&](Slot slot) {
      const float p = p_[slot];
      const float q = diagonal_[slot] * p - a_[slot];
      q_[slot] = q;
      return p * q;
    });
  }

  __device__ __forceinline__ Sums<float> step(float alpha) {
    return team_.sum_in_float(length_, [&](Slot slot, Part& sums) {
      const float r = r_[slot] - alpha * q_[slot];
      const float z = fast_quotient(r, diagonal_[slot]);
      r_[slot] = r;
      q_[slot] = z;
      sums += Part{z * z, r * z};
    });
  }

  __device__ __forceinline__ void advance(float alpha, float beta) {
    team_.for_each(length_, [&](Slot slot) {
      const float p = p_[slot];
      x_[slot] += alpha * p;
      p_[slot] = q_[slot] + beta * p;
    });
  }

  __device__ __forceinline__ void settle(float alpha) {
    team_.for_each(length_, [&](Slot slot) {
      x_[slot] += alpha * p_[slot];
      p_[slot] = x_[slot];
    });
  }

  __device__ __forceinline__ void leave(float alpha) {
    team_.for_each(length_, [&](Slot slot) { x_[slot] += alpha * p_[slot]; });
  }

  /// x ← x + α p, and K of it. An error is estimated of K alone, for which b = D×.
  __device__ __forceinline__ void close(float alpha) {
    Team::each(length_, [&](Slot slot) {
      x_[slot] += alpha * p_[slot];
      p_[slot] = x_[slot];
    });
    ResidualAndValue mine;
    const auto row_of = rows_(std::true_type());
    team_.in_turn(length_, [&](Slot slot) { mine.value += row_of(slot).weight * double(p_[slot]); });
    team_.residual_sums(length_, mine, [&](Slot slot, ResidualSums& all) { all.norm += x_[slot] * x_[slot]; });
  }

  /// r ← b − (M x − a), with M and b in double, and K of this x.
  __device__ __forceinline__ Sums<float> recompute() {
    const ResidualAndValue all = plain_ ? residual(std::true_type()) : residual(std::false_type());
    return team_.residual_sums(length_, all, [&](Slot slot, ResidualSums& mine) {
      mine.norm += x_[slot] * x_[slot];
      start(slot, a_[slot], mine.sums);
    });
  }

  __device__ __forceinline__ float norm() { return team_.norm(); }
  __device__ __forceinline__ float worst() { return team_.worst(); }

  __device__ __forceinline__ static float quotient(float a, float b) { return Team::quotient(a, b); }

  /// Each warp keeps its own copy in shared memory, since the vectors need the registers.
  __device__ __forceinline__ void keep(const Bounds<float>& bounds) { write_by_warp(bounds_, bounds); }
  __device__ __forceinline__ const Bounds<float>& bounds() const { return bounds_[threadIdx.x / 32]; }

  __device__ float x(Slot slot) { return x_[slot]; }

 private:
  using Part = typename Team::Partial;
  static constexpr bool q_in_shared = Team::Threads >= 1024;

  /// a ← M, p ← b.
  template <class Plain>
  __device__ __forceinline__ void read_system(Plain plain) {
    const auto row_of = rows_(plain);
    team_.in_turn(length_, [&](Slot slot) {
      const SystemRow row = row_of(slot);
      a_[slot] = static_cast<float>(row.diagonal);
      p_[slot] = static_cast<float>(row.right_hand_side);
    });
  }

  /// a ← b − (M p − a). Returned are K, and the largest that a row of it may be, beside what it is judged by, of this thread.
  template <class Plain>
  __device__ __forceinline__ ResidualAndValue residual(Plain plain) {
    ResidualAndValue mine;
    const auto row_of = rows_(plain);
    team_.in_turn(length_, [&](Slot slot) {
      constexpr float unit = 0.5F * Kokkos::Experimental::epsilon_v<float>;
      const SystemRow row = row_of(slot);
      const double x = p_[slot];
      const float a = a_[slot];
      const auto r = static_cast<float>(row.right_hand_side - (row.diagonal * x - double(a)));
      a_[slot] = r;
      mine.value += row.weight * x;
      const auto judged_by = static_cast<float>(row.judged_by);
      // M p = b + N p − r: a sum of floats takes less time than to convert it.
      const float b = Plain::value ? judged_by : static_cast<float>(row.right_hand_side);
      const float bound = fabsf(r) + unit * fabsf(b + a - r);
      // In padding this is 0 / 0, a NaN, which fmaxf ignores.
      mine.worst = fmaxf(mine.worst, fast_quotient(bound, judged_by));
    });
    return mine;
  }

  /// Stores r and p ← M⁻¹ r, and adds their part of the sums.
  __device__ __forceinline__ void start(Slot slot, float r, Part& sums) {
    const float z = fast_quotient(r, diagonal_[slot]);
    r_[slot] = r;
    p_[slot] = z;
    sums += Part{z * z, r * z};
  }

  const Team& team_;
  const Apply& apply_;
  const Rows& rows_;
  bool plain_;
  int length_;
  Bounds<float>* bounds_;
  InMemory p_;
  InMemory a_;
  Registers<K> diagonal_;
  Registers<K> x_;
  Registers<K> r_;
  std::conditional_t<q_in_shared, InMemory, Registers<K>> q_;
};

}  // namespace octile::cuda
