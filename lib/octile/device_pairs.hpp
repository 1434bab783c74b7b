// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/array.hpp>
#include <octile/certificate.hpp>
#include <octile/device_trials.hpp>
#include <octile/exact_set.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// What a team sums over a pair.
struct DeviceSums {
  CertificateSums sums;
  double most_r = 0;  ///< max |r| / D×
  double most_s = 0;

  /// As numbers, of which the first `added` are added and of the others the largest counts.
  static constexpr int count = 12;
  static constexpr int added = 8;
  using Numbers = Kokkos::Array<double, count>;

  KOKKOS_INLINE_FUNCTION Numbers numbers() const {
    return {sums.x.value,    sums.x.left,  sums.x.rounding, sums.y.value, sums.y.left, sums.y.rounding,
            sums.correction, sums.no_step, sums.x.worst,    sums.y.worst, most_r,      most_s};
  }
  KOKKOS_INLINE_FUNCTION static DeviceSums of(const Numbers& numbers) {
    return {{{numbers[0], numbers[8], numbers[1], numbers[2]},
             {numbers[3], numbers[9], numbers[4], numbers[5]},
             numbers[6],
             numbers[7]},
            numbers[10],
            numbers[11]};
  }
};

/// Numbers whose sums a thread forms of those that all threads have.
inline constexpr int parts_of_sum = 8;

/// Doubles of scratch that `sum_of_team` takes.
KOKKOS_INLINE_FUNCTION constexpr std::size_t room_of_sum(int threads) {
  return static_cast<std::size_t>(DeviceSums::count) * static_cast<std::size_t>(threads + parts_of_sum);
}

/// The most numbers that `sum_of_team` adds one after the other.
KOKKOS_INLINE_FUNCTION constexpr int levels_of_sum(int threads) { return threads / parts_of_sum + 1 + parts_of_sum; }

/// The sums of all threads of a team, in `room` of scratch that no thread still reads; every thread gets them. By hand: a
/// reduction by shuffles of so large a struct goes through local memory. The order of additions is always the same.
template <class Member>
KOKKOS_INLINE_FUNCTION DeviceSums sum_of_team(const Member& member, const DeviceSums& own, double* room) {
  const int threads = member.team_size();
  const auto with = [](int number, double sum, double more) {
    return number < DeviceSums::added ? sum + more : larger(sum, more);
  };
  const DeviceSums::Numbers numbers = own.numbers();
  for (int number = 0; number < DeviceSums::count; ++number)
    room[number * threads + member.team_rank()] = numbers[number];
  member.team_barrier();
  double* const partial = room + DeviceSums::count * threads;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, DeviceSums::count * parts_of_sum), [&](int item) {
    const int number = item / parts_of_sum;
    double sum = 0;
    for (int t = item % parts_of_sum; t < threads; t += parts_of_sum)
      sum = with(number, sum, room[number * threads + t]);
    partial[item] = sum;
  });
  member.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, DeviceSums::count), [&](int number) {
    double sum = 0;
    for (int part = 0; part < parts_of_sum; ++part) sum = with(number, sum, partial[number * parts_of_sum + part]);
    room[number] = sum;
  });
  member.team_barrier();
  DeviceSums::Numbers all;
  for (int number = 0; number < DeviceSums::count; ++number) all[number] = room[number];
  return DeviceSums::of(all);
}

struct alignas(16) ExactVertex {
  double degree;
  double inverse_degree;
  double start;
  double inverse_start;
  std::uint32_t record;
  std::uint32_t first_end;   ///< of its edges; they end where the next vertex' begin
  std::uint32_t first_edge;  ///< of those edges that lead to a later vertex, in the list of `ExactEdge`
  std::uint32_t neighbours;  ///< how many edges

  KOKKOS_INLINE_FUNCTION std::uint32_t last_end() const { return first_end + neighbours; }
};
/// An edge from one of its vertices. Like a vertex read as a whole, 16 bytes at a time.
struct alignas(16) ExactEnd {
  double weight;
  std::uint32_t column;  ///< the other vertex, in its graph
  std::uint32_t record;
};
/// An edge, once: its places in the list of ends.
struct ExactEdge {
  std::uint32_t from;  ///< at its earlier vertex
  std::uint32_t to;    ///< at its later vertex
};

/// 1 / κv by a table over records, or where a pair's values stand.
struct InverseKappa {
  const double* values;
  std::uint32_t count;  ///< of records; 0: they stand by place
  KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t a, std::uint32_t b, std::size_t place) const {
    return values[count > 0 ? std::size_t(a) * count + b : place];
  }
};

/// A pair as a team reads it.
struct CertifiedPair {
  const ExactVertex* first;
  const ExactVertex* second;
  const std::uint32_t* first_by_degree;
  const std::uint32_t* second_by_degree;
  int n;
  int m;
  std::size_t begin;           ///< of its trials
  double factor;               ///< by which x is multiplied where there is no y
  double scale;                ///< of the solver's weights
  TrialValues<double> trials;  ///< by which those of the list are multiplied
};

/// What the certification of pairs reads and writes, whatever way it has to form N x.
template <class MemorySpace, class Scalar>
struct CertifiedPairs {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  Array<ExactVertex, MemorySpace> vertices;
  Array<double, MemorySpace> start_over_degree;
  Array<ExactEnd, MemorySpace> ends;
  Array<ExactEdge, MemorySpace> edges;
  Array<std::uint32_t, MemorySpace> by_degree;  ///< of each graph its vertices, those with most edges first
  InverseKappa inverse_kappa;
  double q;
  double inverse_square;  ///< 1 / q²
  SystemRounding rounding;
  int shortest_walk;
  Array<double, MemorySpace> scales;
  DeviceTrials<Scalar> trials;
  DeviceResiduals left_x;
  DeviceResiduals left_y;
  PairResult* results;
  const PairResult* adjoints;

  KOKKOS_INLINE_FUNCTION bool both() const { return trials.both; }

  KOKKOS_INLINE_FUNCTION CertifiedPair pair(int k) const {
    const Pair of = trials.pairs[k];
    const std::uint32_t first = vertex_begin(of.first);
    const std::uint32_t second = vertex_begin(of.second);
    return {vertices.data() + first,
            vertices.data() + second,
            by_degree.data() + first,
            by_degree.data() + second,
            static_cast<int>(vertex_begin(of.first + 1) - first),
            static_cast<int>(vertex_begin(of.second + 1) - second),
            trials.begin[k],
            both() ? 1.0 : start_over_degree(of.first) * start_over_degree(of.second) * inverse_square,
            scales(of.first) * scales(of.second),
            trials.scale(k)};
  }

  /// Adds row ii', i' = `k`, with the products N x and N y of the trials as they stand in the list, and how far off they may be.
  KOKKOS_INLINE_FUNCTION void add(DeviceSums& sums, const CertifiedPair& of, int i, int k,
                                  const TrialValues<double>& product, const TrialValues<double>& unknown) const {
    const ExactVertex row = of.first[i];
    const ExactVertex column = of.second[k];
    const std::size_t at =
        of.begin + static_cast<std::size_t>(i) * static_cast<std::size_t>(of.m) + static_cast<std::size_t>(k);
    const double inverse_degrees = row.inverse_degree * column.inverse_degree;
    const CertifiedRow certified{row.degree * column.degree,
                                 inverse_degrees,
                                 inverse_kappa(row.record, column.record, at),
                                 row.start * column.start,
                                 row.inverse_start * column.inverse_start,
                                 static_cast<int>(row.neighbours),
                                 static_cast<int>(column.neighbours)};
    const TrialValues<Scalar> trial = trials.values[at];
    const RowTrial x = scaled(of.trials.x, trial.x, product.x, unknown.x);
    const RowTrial y =
        both() ? scaled(of.trials.y, trial.y, product.y, unknown.y) : scaled(of.factor, x.value, x.product, x.unknown);
    const RowResiduals left =
        add_row(sums.sums, certified, q * q, inverse_square, rounding, shortest_walk == 1, x, of.factor > 0, y);
    if (left_x.values != nullptr) {
      left_x.values[at] = static_cast<float>(of.scale * left.r);
      sums.most_r = Kokkos::max(sums.most_r, Kokkos::abs(left.r) * inverse_degrees);
    }
    if (left_y.values != nullptr) {
      left_y.values[at] = static_cast<float>(of.scale * left.s);
      sums.most_s = Kokkos::max(sums.most_s, Kokkos::abs(left.s) * inverse_degrees);
    }
  }

  KOKKOS_INLINE_FUNCTION static RowTrial scaled(double scale, double value, double product, double unknown) {
    return {scale * value, scale * product, scale * unknown};
  }

  /// Puts what the sums say into the pair's result. A sum was formed of `additions` numbers one after the other, at most.
  KOKKOS_INLINE_FUNCTION void finish(int k, const CertifiedPair& of, const DeviceSums& sums, double additions) const {
    const bool walks =
        of.first[0].first_end < of.first[of.n].first_end && of.second[0].first_end < of.second[of.m].first_end;
    const Evaluation found = evaluation_of(sums.sums, rounding, of.factor > 0, additions, shortest_walk, walks);
    PairResult& result = results[k];
    if (adjoints != nullptr) {
      result.iterations += adjoints[k].iterations;
      if (result.status == Status::converged) result.status = adjoints[k].status;
    }
    result.value = found.value.value;
    result.error_bound = found.value.bound;
    result.residual = found.worst_x;
    const auto near_one = [](double most) {
      return most > 0 && Kokkos::isfinite(most) ? Kokkos::exp2(-Kokkos::round(Kokkos::log2(most))) : 1.0;
    };
    if (left_x.scale != nullptr) left_x.scale[k] = near_one(sums.most_r);
    if (left_y.scale != nullptr) left_y.scale[k] = near_one(sums.most_s);
  }
};

}  // namespace octile::detail
