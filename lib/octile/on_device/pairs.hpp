// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/certify/certificate.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/on_device/sums.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace octile::detail {

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
/// An edge, once: its places in the list of ends, and its vertices.
struct alignas(16) ExactEdge {
  std::uint32_t from;  ///< at its earlier vertex
  std::uint32_t to;    ///< at its later vertex
  std::uint32_t earlier;
  std::uint32_t later;
};

/// 1 / κv by a table over records, or where a pair's values stand.
struct InverseKappa {
  const double* values;
  std::uint32_t count;  ///< of records; 0: they stand by place
  KOKKOS_INLINE_FUNCTION double operator()(std::uint32_t a, std::uint32_t b, std::size_t place) const {
    return values[count > 0 ? std::size_t(a) * count + b : place];
  }
  /// 1 / κv of two records, where the values are a table over records.
  KOKKOS_INLINE_FUNCTION double in_table(std::uint32_t a, std::uint32_t b) const { return values[a * count + b]; }
};

/// A vertex, and its place in its graph.
struct PlacedVertex {
  int place;
  ExactVertex vertex;
};

/// A pair as a team reads it.
struct CertifiedPair {
  const ExactVertex* first;
  const ExactVertex* second;
  const std::uint32_t* second_by_degree;
  int n;
  int m;
  std::size_t begin;           ///< of its trials
  double factor;               ///< by which x is multiplied where there is no y
  double scale;                ///< of the solver's weights
  TrialValues<double> trials;  ///< by which those of the list are multiplied
  double rounding;             ///< of a row, as `RoughSums` has it
  double scale_y;              ///< of y, or of x as y
  double square;               ///< q² over the scale of x
  double inverse_scale_y;
  double twice_rounding;  ///< a bound of 2 `rounding`
  double scale_r;         ///< of x over q², by which a residual of x is relative

  /// Where a row and column stand among the pair's trials.
  KOKKOS_INLINE_FUNCTION std::uint32_t at(int i, int k) const {
    return static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(m) + static_cast<std::uint32_t>(k);
  }
  KOKKOS_INLINE_FUNCTION PlacedVertex row(int i) const { return {i, first[i]}; }
  KOKKOS_INLINE_FUNCTION PlacedVertex column(int k) const { return {k, second[k]}; }
};

/// What a row's certification takes of the column's vertex.
struct CertifiedColumn {
  double degree;
  double inverse_degree;  ///< 1/d' times the scale of residuals of x
  double start;           ///< p' over the scale of y
  double inverse_start;   ///< 1/p' times the scale of y
};

/// What the certification of pairs reads and writes, whatever way it has to form N x. `coarse`: rounding is bounded by one number for all rows,
/// which is enough where residuals are far above it, as those of float32 solves are, or where vertices have few edges.
template <class MemorySpace, class Scalar, bool coarse = std::is_same_v<Scalar, float>>
struct CertifiedPairs {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  Array<ExactVertex, MemorySpace> vertices;
  Array<double, MemorySpace> start_over_degree;
  Array<ExactEnd, MemorySpace> ends;
  Array<ExactEdge, MemorySpace> edges;
  Array<std::uint32_t, MemorySpace> by_degree;        ///< of each graph its vertices, those with most edges first
  Array<std::uint32_t, MemorySpace> most_neighbours;  ///< of each graph the most edges of a vertex
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
  SlopeRows slopes;  ///< to which derivatives are added later (`DeviceSlopes`)
  bool products_apart =
      false;  ///< whether `rounding.beyond_x` and its like have that of N x, as of factors: the bound of a pair is then of the diagonal and b alone

  KOKKOS_INLINE_FUNCTION bool both() const { return trials.both; }

  /// Whether residuals may be left for a solve that corrects trials.
  static constexpr bool leaves = std::is_same_v<Scalar, double>;
  using Rough = RoughSums<leaves>;
  /// What a team sums.
  using Sums = std::conditional_t<coarse, Rough, DeviceSums>;

  KOKKOS_INLINE_FUNCTION CertifiedPair pair(int k) const {
    const Pair of = trials.pairs[k];
    const std::uint32_t first = vertex_begin(of.first);
    const std::uint32_t second = vertex_begin(of.second);
    const double factor = both() ? 1.0 : start_over_degree(of.first) * start_over_degree(of.second) * inverse_square;
    const TrialValues<double> scale = trials.scale(k);
    const double scale_y = both() ? scale.y : factor * scale.x;
    const double most_first = most_neighbours(of.first);
    const double most_second = most_neighbours(of.second);
    const double roundings = unit_roundoff * (products_apart ? roundings_of_diagonal(most_first, most_second, rounding)
                                                             : roundings_of_row(most_first, most_second, rounding));
    return {vertices.data() + first,
            vertices.data() + second,
            by_degree.data() + second,
            static_cast<int>(vertex_begin(of.first + 1) - first),
            static_cast<int>(vertex_begin(of.second + 1) - second),
            trials.begin[k],
            factor,
            scales(of.first) * scales(of.second),
            scale,
            roundings,
            scale_y,
            q * q / scale.x,
            1 / scale_y,
            2.0001 * roundings,
            scale.x * inverse_square};
  }

  /// Adds the row of the systems that belongs to two vertices, with the products N x and N y of the trials as they stand in the list, and
  /// how far off they may be, if that counts.
  template <bool with_unknown>
  KOKKOS_INLINE_FUNCTION void add(DeviceSums& sums, const CertifiedPair& of, const PlacedVertex& first,
                                  const PlacedVertex& second, const TrialValues<double>& product,
                                  const TrialValues<double>& unknown) const {
    const ExactVertex& row = first.vertex;
    const ExactVertex& column = second.vertex;
    const std::size_t at = of.begin + of.at(first.place, second.place);
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
    const RowResiduals found =
        add_row(sums.sums, certified, q * q, inverse_square, rounding, shortest_walk == 1, x, of.factor > 0, y);
    sums.moved += y.value * x.product;
    leave(sums, of, at, found.r, found.s, inverse_degrees);
  }

  /// Adds the row of the systems that belongs to two vertices to rough sums. `product` and `unknown` are as for
  /// `DeviceSums`.
  template <bool with_unknown>
  KOKKOS_INLINE_FUNCTION void add(Rough& sums, const CertifiedPair& of, const PlacedVertex& first,
                                  const PlacedVertex& second, const TrialValues<double>& product,
                                  const TrialValues<double>& unknown) const {
    const std::size_t at = of.begin + of.at(first.place, second.place);
    const TrialValues<Scalar> trial = trials.values[at];
    const bool two = both();
    const double kappa = inverse_kappa(first.vertex.record, second.vertex.record, at);
    const TrialValues<double> left = add_trial<with_unknown>(
        sums, of, first.vertex, column_of(of, second.vertex), kappa, {trial.x, two ? trial.y : trial.x},
        {product.x, two ? product.y : product.x}, {unknown.x, two ? unknown.y : unknown.x});
    if constexpr (leaves)
      leave(sums, of, at, left.x, left.y, first.vertex.inverse_degree * second.vertex.inverse_degree);
    if (shortest_walk == 1) add_no_step(sums, of, first.vertex, second.vertex, kappa);
  }

  KOKKOS_INLINE_FUNCTION static CertifiedColumn column_of(const CertifiedPair& of, const ExactVertex& vertex) {
    return {vertex.degree, vertex.inverse_degree * of.scale_r, vertex.start * of.inverse_scale_y,
            vertex.inverse_start * of.scale_y};
  }

  /// Adds a row to rough sums, from the trials x and y and from 1/κv; walks of no step are left to `add_no_step`.
  /// Returns the residuals of both systems.
  template <bool with_unknown>
  KOKKOS_INLINE_FUNCTION static TrialValues<double> add_trial(Rough& sums, const CertifiedPair& of,
                                                              const ExactVertex& row, const CertifiedColumn& column,
                                                              double of_kappa, const TrialValues<double>& trial,
                                                              const TrialValues<double>& product,
                                                              const TrialValues<double>& unknown) {
    const double x = trial.x;
    const double y = trial.y;
    const double degrees = row.degree * column.degree;
    const double diagonal = degrees * of_kappa;
    const double b = degrees * of.square;
    const double start = row.start * column.start;
    const double of_x = diagonal * x;
    const double of_y = diagonal * y;
    const double r = b - of_x + product.x;
    const double s = start - of_y + product.y;
    double left_r = Kokkos::abs(r);
    double left_s = Kokkos::abs(s);
    if constexpr (with_unknown) {
      left_r += unknown.x;
      left_s += unknown.y;
      sums.unknown += unknown.x * y;
    }
    const double bound_r = left_r + of.twice_rounding * of_x;
    const double bound_s = left_s + of.twice_rounding * of_y;
    const double relative_r = bound_r * (row.inverse_degree * column.inverse_degree);
    const double relative_s = bound_s <= 0 ? 0.0 : bound_s * (row.inverse_start * column.inverse_start);
    sums.x_worst.add(relative_r);
    sums.y_worst.add(relative_s);
    sums.x_squares += relative_r * relative_r * (b * y);
    sums.y_squares += relative_s * relative_s * (start * x);
    sums.x_value += start * x;
    sums.y_value += b * y;
    sums.x_left += left_r * y;
    sums.y_left += left_s * x;
    sums.diagonal += of_x * y;
    sums.correction += r * y;
    return {r, s};
  }

  /// Adds the walks of no step that begin at a row's two vertices.
  KOKKOS_INLINE_FUNCTION static void add_no_step(Rough& sums, const CertifiedPair& of, const ExactVertex& first,
                                                 const ExactVertex& second, double of_kappa) {
    sums.no_step += of.square * (first.start * (second.start * of.inverse_scale_y)) / of_kappa;
  }
  /// Adds the walks of no step of all rows of a pair. This is a pass of its own: few callers ask for walks of at least
  /// one step, and in the pass over the rows it would take registers.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void add_no_steps(const Member& member, Rough& sums, const CertifiedPair& of) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, of.n * of.m), [&](int at) {
      const ExactVertex& first = of.first[at / of.m];
      const ExactVertex& second = of.second[at % of.m];
      add_no_step(sums, of, first, second, inverse_kappa(first.record, second.record, of.begin + std::size_t(at)));
    });
  }

  KOKKOS_INLINE_FUNCTION static RowTrial scaled(double scale, double value, double product, double unknown) {
    return {scale * value, scale * product, scale * unknown};
  }

  /// Puts what the sums say into the pair's result. A sum was formed of `additions` numbers one after the other, at most.
  KOKKOS_INLINE_FUNCTION void finish(int k, const CertifiedPair& of, const Sums& sums, double additions) const {
    const bool walks =
        of.first[0].first_end < of.first[of.n].first_end && of.second[0].first_end < of.second[of.m].first_end;
    CertificateSums of_pair;
    if constexpr (coarse) {
      const double scale = of.trials.x * of.scale_y;
      of_pair = sums.certificate(of.rounding, scale);
      if (slopes.values != nullptr) {
        const double moved = walks ? scale * sums.moved() : 0;
        begin_slopes(k, of_pair, moved, walks ? scale * sums.unknown_of_moved(additions) : 0);
      }
    } else {
      of_pair = sums.sums;
      of_pair.counts_steps = shortest_walk == 1;  // `add_row` counts them so
      if (slopes.values != nullptr) begin_slopes(k, of_pair, sums.moved, 0);
    }
    const Evaluation found = evaluation_of(of_pair, rounding, of.factor > 0, additions, shortest_walk, walks);
    PairResult& result = results[k];
    if (adjoints != nullptr) {
      result.iterations += adjoints[k].iterations;
      if (result.status == Status::converged) result.status = adjoints[k].status;
    }
    result.value = found.value.value;
    result.error_bound = found.value.bound;
    result.residual = found.worst_x;
    if constexpr (leaves) {
      const auto near_one = [](double most) {
        return most > 0 && Kokkos::isfinite(most) ? Kokkos::exp2(-Kokkos::round(Kokkos::log2(most))) : 1.0;
      };
      if (left_x.scale != nullptr) left_x.scale[k] = near_one(sums.most_r);
      if (left_y.scale != nullptr) left_y.scale[k] = near_one(sums.most_s);
    }
  }

 private:
  /// Leaves the residuals of a row, if that is asked for.
  template <class Leaving>
  KOKKOS_INLINE_FUNCTION void leave(Leaving& sums, const CertifiedPair& of, std::size_t at, double r, double s,
                                    double inverse_degrees) const {
    if (left_x.values != nullptr) {
      left_x.values[at] = static_cast<float>(of.scale * r);
      sums.most_r = Kokkos::max(sums.most_r, Kokkos::abs(r) * inverse_degrees);
    }
    if (left_y.values != nullptr) {
      left_y.values[at] = static_cast<float>(of.scale * s);
      sums.most_s = Kokkos::max(sums.most_s, Kokkos::abs(s) * inverse_degrees);
    }
  }

  /// Leaves what the sums have of derivatives: how far off they are, those by a constant κe, and that by q, 2 q Σ d d' y − c Σ y N x, if c is one
  /// number for all vertices (`AddEdgeSlopes`). `moved` is Σ y N x, and off by `unknown` at most beside what x and y are off by.
  KOKKOS_INLINE_FUNCTION void begin_slopes(int k, const CertificateSums& sums, double moved, double unknown) const {
    double* const end = slopes.values + static_cast<std::size_t>(k + 1) * slopes.stride;
    end[-2] = 2 / q * sums.y.value - slopes.moved * moved;
    const double relative = unknown > 0 ? q * slopes.moved * unknown / (sums.x.value + sums.correction) : 0;
    end[-1] = error_of_slopes(sums) + relative;
    if (slopes.of_constant == nullptr) return;
    double* const own = end - slopes.stride + slopes.vertex_parameters;
    for (std::size_t t = 0; t + slopes.vertex_parameters + 2 < slopes.stride; ++t) {
      own[t] = slopes.of_constant[t] * moved;
    }
  }
};

}  // namespace octile::detail
