// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pivoted_cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include <octile/error.hpp>
#include <octile/kernel_rounding.hpp>
#include <octile/parallel.hpp>
#include <octile/program.hpp>

namespace octile {
namespace {

/// κ of the records by running the program, in double.
class Evaluator {
 public:
  explicit Evaluator(const LoweredKernel& kernel)
      : program_(kernel.program),
        records_{kernel.records.data(), kernel.list_begin.data(), kernel.list_values.data(), kernel.slots} {}

  double operator()(std::size_t a, std::size_t b) const {
    return run_program<double>(program_.data(), static_cast<int>(program_.size()), records_,
                               static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  }

 private:
  const std::vector<Instruction>& program_;
  RecordPointers records_;
};

/// What factors may leave of the error that is asked for. The rest is for rounding.
constexpr double truncated_share = 0.9375;

/// Records that a thread works on at a time.
constexpr std::size_t records_at_once = 2048;

/// φ_k of all records.
using Column = UninitializedVector<double>;

/// The values transposed: `columns` has a row for each factor, the result one for each record.
UninitializedVector<double> by_record(const std::vector<Column>& columns, std::size_t records) {
  UninitializedVector<double> values(records * columns.size());
  in_parallel(records, records_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t k = 0; k < columns.size(); ++k) values[e * columns.size() + k] = columns[k][e];
    }
  });
  return values;
}

/// The remaining diagonal, and the smallest and largest element of each part of it.
class Diagonal {
 public:
  /// Of the elements `value(e)`.
  template <class Value>
  Diagonal(std::size_t records, const Value& value)
      : left_(records), extremes_((records + records_at_once - 1) / records_at_once) {
    set([](std::size_t, std::size_t) {}, value);
  }

  /// Replaces each element by `change(e, element)`. `prepare(begin, end)` is called before the elements of a part.
  template <class Prepare, class Change>
  void update(const Prepare& prepare, const Change& change) {
    set(prepare, [&](std::size_t e) { return change(e, left_[e]); });
  }

  double least() const { return std::ranges::min_element(extremes_, {}, &Extremes::least)->least; }

  /// The first of the largest elements.
  std::size_t pivot() const {
    const auto largest = [this](const Extremes& part) { return left_[part.largest]; };
    return std::ranges::max_element(extremes_, {}, largest)->largest;
  }

  double operator[](std::size_t e) const { return left_[e]; }

 private:
  struct Extremes {
    double least;
    std::size_t largest;  ///< index of the largest element
  };

  template <class Prepare, class Value>
  void set(const Prepare& prepare, const Value& value) {
    in_parallel(left_.size(), records_at_once, [&](std::size_t begin, std::size_t end) {
      prepare(begin, end);
      for (std::size_t e = begin; e < end; ++e) left_[e] = value(e);
      const auto first = left_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = left_.begin() + static_cast<std::ptrdiff_t>(end);
      extremes_[begin / records_at_once] = {*std::min_element(first, last),
                                            static_cast<std::size_t>(std::max_element(first, last) - left_.begin())};
    });
  }

  UninitializedVector<double> left_;
  std::vector<Extremes> extremes_;
};

/// What the rounding of κ(a, b) − Σ_k φ_k(a) φ_k(b) adds up to: Σ |φ φ'| is about 1 at most, and what step k leaves about the next pivot.
double rounding_of_sums(double sum_of_pivots) { return 2 * unit_roundoff * (4 + sum_of_pivots); }

/// max |κ̂ − Σ φ φ'| over all pairs of records, with what its own subtractions round.
double measured_error(const Evaluator& kappa, const std::vector<Column>& columns, std::size_t records,
                      double sum_of_pivots) {
  std::vector<double> of_records(records);
  in_parallel(records, 1, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(records);
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t b = 0; b <= a; ++b) row[b] = kappa(a, b);
      for (const Column& column : columns) {
        const double factor = column[a];
        for (std::size_t b = 0; b <= a; ++b) row[b] -= factor * column[b];
      }
      for (std::size_t b = 0; b <= a; ++b) of_records[a] = std::max(of_records[a], std::abs(row[b]));
    }
  });
  return std::ranges::max(of_records) + rounding_of_sums(sum_of_pivots);
}

/// W = max_e Σ_p |w_e(p)|, where φ(e) = Σ_p w_e(p) φ(p) over the pivots p: how much what is off in their columns counts elsewhere.
double weight_of_pivots(const std::vector<Column>& columns, const std::vector<std::size_t>& pivots,
                        std::size_t records) {
  constexpr double rounding = 1.01;
  const std::size_t rank = columns.size();
  std::vector<double> at_pivots;  // φ_k of pivot j, in row k and column j
  for (const Column& column : columns) {
    for (const std::size_t pivot : pivots) at_pivots.push_back(column[pivot]);
  }
  std::vector<double> parts((records + records_at_once - 1) / records_at_once);
  in_parallel(records, records_at_once, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    std::vector<double> weights(rank * count);  // of one pivot after the other
    std::vector<double> sums(count);
    for (std::size_t k = rank; k-- > 0;) {
      double* const left = weights.data() + k * count;
      std::copy_n(columns[k].begin() + static_cast<std::ptrdiff_t>(begin), count, left);
      for (std::size_t j = k + 1; j < rank; ++j) {
        const double factor = at_pivots[k * rank + j];
        const double* const later = weights.data() + j * count;
        for (std::size_t e = 0; e < count; ++e) left[e] -= factor * later[e];
      }
      const double scale = 1 / at_pivots[k * rank + k];
      for (std::size_t e = 0; e < count; ++e) {
        left[e] *= scale;
        sums[e] += std::abs(left[e]);
      }
    }
    parts[begin / records_at_once] = std::ranges::max(sums);
  });
  return rounding * std::ranges::max(parts);
}

/// What a factorization ends with.
struct Remainder {
  std::size_t records;
  double of_kernel;      ///< what the rounding of κ adds up to
  double sum_of_pivots;  ///< Σ_k d_k
  double left;           ///< the largest of the diagonal
  double wanted;         ///< the error that is asked for
};

/// What factors are known to keep of κ, rounding counted. D = κ − Σ φ φ' is off from 0 in the columns of pivots by
///
///     δ = u (κ's rounding + 4 Σ_k d_k),     d_k the pivots: what is subtracted in step k, and what is left, is d_k at most.
///
/// In the space in which κ(a, b) = ⟨f_a, f_b⟩ let g_e = f_e − Σ_p w_e(p) f_p. Then ⟨g_e, f_p⟩ is δ (1 + W) at most, and
///
///     |D(a, b)| ≤ ‖g_a‖ ‖g_b‖ + δ W (2 + W),     ‖g_e‖² ≤ D(e, e) + δ W (2 + W).
///
/// Where that is more than is wanted, all pairs of records are looked at, if they are few.
double known_error(const Evaluator& kappa, const std::vector<Column>& columns, const std::vector<std::size_t>& pivots,
                   const Remainder& of) {
  constexpr std::size_t few = 4096;
  const double off = of.of_kernel + 4 * unit_roundoff * of.sum_of_pivots;
  const double weight = weight_of_pivots(columns, pivots, of.records);
  const double bound = of.left + off + 2 * off * weight * (2 + weight);
  if (bound <= of.wanted || of.records > few) return bound;
  return std::min(bound, measured_error(kappa, columns, of.records, of.sum_of_pivots) + of.of_kernel);
}

}  // namespace

std::optional<Factors> pivoted_cholesky(const LoweredKernel& kernel, double error, std::size_t most) {
  const Evaluator kappa(kernel);
  const std::size_t records = kernel.record_count;
  Diagonal left(records, [&](std::size_t e) { return kappa(e, e); });
  std::vector<Column> columns;
  std::vector<std::size_t> pivots;
  std::vector<double> errors;
  const double of_kernel = unit_roundoff * kernel_rounding(kernel, deep_exponent).whole;
  double sum_of_pivots = 0;
  for (;;) {
    const std::size_t pivot = left.pivot();
    const double rounding = rounding_of_sums(sum_of_pivots);
    // A diagonal that is negative by less than the allowed error, or by a few roundings a step, may be due to rounding of κ.
    if (left.least() < -std::max(error, 8 * unit_roundoff * static_cast<double>(columns.size() + 1))) {
      throw Error(fmt::format("a kernel over {} labels is not positive semidefinite: it has no factors", records));
    }
    // What the factors leave out is less than the error by as much as rounding adds to it.
    if (left[pivot] <= std::max(std::min(truncated_share * error, error - 2 * (rounding + of_kernel)), rounding)) {
      Factors factors;
      factors.rank = factors.terms = columns.size();
      factors.error = known_error(kappa, columns, pivots, {records, of_kernel, sum_of_pivots, left[pivot], error});
      factors.values = by_record(columns, records);
      factors.errors = std::move(errors);
      for (double& of_first : factors.errors) of_first = std::max(of_first, factors.error);
      factors.errors.push_back(factors.error);
      return factors;
    }
    errors.push_back(left[pivot]);
    sum_of_pivots += left[pivot];
    if (columns.size() == most) return std::nullopt;
    // φ(e) = (κ(e, pivot) − Σ_k φ_k(e) φ_k(pivot)) / √d(pivot)
    Column column(records);
    const double scale = 1 / std::sqrt(left[pivot]);
    const auto form = [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) column[e] = kappa(e, pivot);
      for (const Column& earlier : columns) {
        const double factor = earlier[pivot];
        for (std::size_t e = begin; e < end; ++e) column[e] -= factor * earlier[e];
      }
      for (std::size_t e = begin; e < end; ++e) column[e] *= scale;
      // In rows of earlier pivots nothing is left but rounding.
      for (const std::size_t earlier : pivots) {
        if (earlier >= begin && earlier < end) column[earlier] = 0;
      }
    };
    left.update(form, [&](std::size_t e, double before) { return e == pivot ? 0 : before - column[e] * column[e]; });
    columns.push_back(std::move(column));
    pivots.push_back(pivot);
  }
}

}  // namespace octile
