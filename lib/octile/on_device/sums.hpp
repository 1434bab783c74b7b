// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/unit_roundoff.hpp>
#include <octile/base/upper_half.hpp>
#include <octile/certify/certificate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::detail {

/// What a team sums over a pair, with what rounding leaves unknown of each row by the row's own edges.
struct DeviceSums {
  CertificateSums sums;
  double moved = 0;   ///< Σ y N x
  double most_r = 0;  ///< max |r| / D×
  double most_s = 0;

  /// As numbers, of which the first `added` are added and of the others the largest counts.
  static constexpr int count = 17;
  static constexpr int added = 13;
  using Numbers = Kokkos::Array<double, count>;

  KOKKOS_INLINE_FUNCTION Numbers numbers() const {
    return {sums.x.value,    sums.x.left,    sums.x.rounding, sums.x.squares, sums.y.value, sums.y.left,
            sums.y.rounding, sums.y.squares, sums.correction, sums.no_step,   moved,        sums.counting_x,
            sums.counting_y, sums.x.worst,   sums.y.worst,    most_r,         most_s};
  }
  KOKKOS_INLINE_FUNCTION static DeviceSums of(const Numbers& numbers) {
    // Whether walks of at least one step are counted alone is the same for all pairs: `CertifiedPairs` knows.
    return {{{numbers[0], numbers[13], numbers[1], numbers[2], numbers[3]},
             {numbers[4], numbers[14], numbers[5], numbers[6], numbers[7]},
             numbers[8],
             numbers[9],
             false,
             numbers[11],
             numbers[12]},
            numbers[10],
            numbers[15],
            numbers[16]};
  }
};

/// The largest residuals of a pair, where residuals are left.
struct LargestResiduals {
  double most_r = 0;  ///< max |r| / D×
  double most_s = 0;
};
struct NoResiduals {};

/// The largest of many numbers, none of which is below 0, by the upper halves of their bits: one instruction a number, where the larger of two doubles
/// takes six. One that is below 0 counts as infinite, which proves nothing: so does a trial solution below 0.
struct LargestByHalf {
  std::uint32_t half = 0;

  KOKKOS_INLINE_FUNCTION void add(double value) { half = Kokkos::max(half, upper_half(value)); }
  /// What is not below any of them, and at most 1e-6 of itself above the largest, if that is a normal number. Infinite if one of them is not a number.
  KOKKOS_INLINE_FUNCTION double bound() const {
    constexpr double infinite = Kokkos::Experimental::infinity_v<double>;
    if (half >= upper_half(infinite)) return infinite;
    return Kokkos::bit_cast<double>(std::uint64_t(half) << 32U | 0xffffffffU);
  }
};

/// What a team sums over a pair whose residuals are far above their rounding: fewer numbers. What rounding leaves unknown of a row is bounded
/// by one number c for all rows. With D = d d' / κv, the diagonal,
///
///     δ ≤ c (N x̃ + D x̃ + b) ≤ c (|r| + 2 D x̃)          since N x̃ = r − b + D x̃
///
/// x̃ and ỹ are the trials as they stand in their list: b and p× are divided by the scales that x and y are to be multiplied by.
template <bool leaves>
struct RoughSums : std::conditional_t<leaves, LargestResiduals, NoResiduals> {
  double x_value = 0;     ///< Σ p x̃
  double y_value = 0;     ///< Σ b ỹ
  double x_left = 0;      ///< Σ |r| ỹ, with what is unknown of N x̃ beside its rounding
  double y_left = 0;      ///< Σ |s| x̃
  double diagonal = 0;    ///< Σ x̃ D ỹ
  double correction = 0;  ///< Σ r ỹ
  double unknown = 0;     ///< Σ of what is unknown of N x̃ beside its rounding, times ỹ
  double no_step = 0;     ///< Σ b κv p / (d d')
  double x_squares = 0;   ///< Σ ((|r| + 2 c D x̃) / b)² b ỹ
  double y_squares = 0;   ///< Σ ((|s| + 2 c D ỹ) / p×)² p× x̃
  LargestByHalf x_worst;  ///< max (|r| + 2 c D x̃) / b
  LargestByHalf y_worst;  ///< max (|s| + 2 c D ỹ) / p×

  static constexpr int count = leaves ? 14 : 12;
  static constexpr int added = 10;
  using Numbers = Kokkos::Array<double, count>;

  KOKKOS_INLINE_FUNCTION Numbers numbers() const {
    Numbers all{x_value, y_value, x_left,    y_left,    diagonal,        correction,
                unknown, no_step, x_squares, y_squares, x_worst.bound(), y_worst.bound()};
    if constexpr (leaves) {
      all[12] = this->most_r;
      all[13] = this->most_s;
    }
    return all;
  }
  KOKKOS_INLINE_FUNCTION static RoughSums of(const Numbers& numbers) {
    RoughSums sums;
    double* const members[] = {&sums.x_value,    &sums.y_value, &sums.x_left,  &sums.y_left,    &sums.diagonal,
                               &sums.correction, &sums.unknown, &sums.no_step, &sums.x_squares, &sums.y_squares};
    for (int k = 0; k < added; ++k) *members[k] = numbers[k];
    sums.x_worst.add(numbers[10]);
    sums.y_worst.add(numbers[11]);
    if constexpr (leaves) {
      sums.most_r = numbers[12];
      sums.most_s = numbers[13];
    }
    return sums;
  }

  /// Σ ỹ N x̃, since N x̃ = r − b + D x̃.
  KOKKOS_INLINE_FUNCTION double moved() const { return correction - y_value + diagonal; }
  /// How far that is off at most, of sums of so many additions: where few walks go on, terms cancel.
  KOKKOS_INLINE_FUNCTION double unknown_of_moved(double additions) const {
    return additions * unit_roundoff * (Kokkos::abs(correction) + y_value + diagonal);
  }

  /// The sums of the solutions themselves, as the certificate takes them. `c` bounds how a row rounds, and `scale` is
  /// the scale of x times that of y.
  KOKKOS_INLINE_FUNCTION CertificateSums certificate(double c, double scale) const {
    // What δ is bounded by is itself rounded.
    const double rounded = 2.0001 * c * diagonal;
    const auto side = [&](double value, const LargestByHalf& worst, double left, double squares) {
      return SideSums{scale * value, worst.bound() * (1 + c), scale * ((1 + c) * left + rounded),
                      scale * (c * left + rounded + unknown), scale * (1 + c) * (1 + c) * squares};
    };
    return {side(x_value, x_worst, x_left, x_squares), side(y_value, y_worst, y_left, y_squares), scale * correction,
            scale * no_step};
  }
};

/// Numbers whose sums a thread forms of those that all threads have.
inline constexpr int parts_of_sum = 8;

/// Doubles of scratch that `sum_of_team` takes for so many numbers.
KOKKOS_INLINE_FUNCTION constexpr std::size_t room_of_numbers(int count, int threads) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(threads + parts_of_sum);
}
/// Doubles of scratch that `sum_of_team` takes for `DeviceSums`, which is enough for `RoughSums`, too.
KOKKOS_INLINE_FUNCTION constexpr std::size_t room_of_sum(int threads) {
  return room_of_numbers(DeviceSums::count, threads);
}

/// The most numbers that `sum_of_team` adds one after the other.
KOKKOS_INLINE_FUNCTION constexpr int levels_of_sum(int threads) { return threads / parts_of_sum + 1 + parts_of_sum; }

/// The sums of all threads of a team, in `room` of scratch that no thread still reads; every thread gets them. By hand: a
/// reduction by shuffles of so large a struct goes through local memory. The order of additions is always the same.
template <class Member, class Sums>
KOKKOS_INLINE_FUNCTION Sums sum_of_team(const Member& member, const Sums& own, double* room) {
  const int threads = member.team_size();
  const auto with = [](int number, double sum, double more) {
    return number < Sums::added ? sum + more : larger(sum, more);
  };
  const typename Sums::Numbers numbers = own.numbers();
  for (int number = 0; number < Sums::count; ++number) room[number * threads + member.team_rank()] = numbers[number];
  member.team_barrier();
  double* const partial = room + Sums::count * threads;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, Sums::count * parts_of_sum), [&](int item) {
    const int number = item / parts_of_sum;
    double sum = 0;
    for (int t = item % parts_of_sum; t < threads; t += parts_of_sum)
      sum = with(number, sum, room[number * threads + t]);
    partial[item] = sum;
  });
  member.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, Sums::count), [&](int number) {
    double sum = 0;
    for (int part = 0; part < parts_of_sum; ++part) sum = with(number, sum, partial[number * parts_of_sum + part]);
    room[number] = sum;
  });
  member.team_barrier();
  typename Sums::Numbers all;
  for (int number = 0; number < Sums::count; ++number) all[number] = room[number];
  return Sums::of(all);
}

}  // namespace octile::detail
