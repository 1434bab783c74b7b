// SPDX-License-Identifier: BSD-3-Clause
#include <octile/kernels/pivoted_cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include <octile/base/parallel.hpp>
#include <octile/error.hpp>
#include <octile/kernels/program.hpp>
#include <octile/kernels/rounding.hpp>

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

/// How many records there may be for their `rank` factors each to stay in a core's cache.
std::size_t cached_records(std::size_t rank) {
  constexpr std::size_t cached = std::size_t(1) << 15;
  return std::clamp<std::size_t>(cached / rank, 16, records_at_once);
}

/// φ_k of all records.
using Column = UninitializedVector<double>;

/// values[e] −= Σ_j factors[j] column(j)[e] for e < count, term by term. Four terms a pass, so that the values are read and written less often.
template <class Columns>
void subtract(double* values, std::size_t count, const double* factors, std::size_t terms, const Columns& column) {
  constexpr std::size_t together = 4;
  std::size_t j = 0;
  for (; j + together <= terms; j += together) {
    const double* const a = column(j);
    const double* const b = column(j + 1);
    const double* const c = column(j + 2);
    const double* const d = column(j + 3);
    const double by_a = factors[j];
    const double by_b = factors[j + 1];
    const double by_c = factors[j + 2];
    const double by_d = factors[j + 3];
    for (std::size_t e = 0; e < count; ++e) {
      values[e] = (((values[e] - by_a * a[e]) - by_b * b[e]) - by_c * c[e]) - by_d * d[e];
    }
  }
  for (; j < terms; ++j) {
    const double* const a = column(j);
    const double by_a = factors[j];
    for (std::size_t e = 0; e < count; ++e) values[e] -= by_a * a[e];
  }
}

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
  /// A diagonal of `records` elements, value(e) each.
  template <class Value>
  Diagonal(std::size_t records, const Value& value)
      : left_(records), extremes_((records + records_at_once - 1) / records_at_once) {
    update([&](double* left, std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) left[e] = value(e);
    });
  }

  /// `change(left, begin, end)` changes these elements of the whole `left`, in several threads.
  template <class Change>
  void update(const Change& change) {
    in_parallel(left_.size(), records_at_once, [&](std::size_t begin, std::size_t end) {
      change(left_.data(), begin, end);
      const auto first = left_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = left_.begin() + static_cast<std::ptrdiff_t>(end);
      extremes_[begin / records_at_once] = {*std::min_element(first, last),
                                            static_cast<std::size_t>(std::max_element(first, last) - left_.begin())};
    });
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
  if (rank == 0) return 0;
  std::vector<double> at_pivots;  // φ_k of pivot j, in row k and column j
  for (const Column& column : columns) {
    for (const std::size_t pivot : pivots) at_pivots.push_back(column[pivot]);
  }
  const std::size_t at_once = cached_records(rank);
  std::vector<double> parts((records + at_once - 1) / at_once);
  in_parallel(records, at_once, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    std::vector<double> weights(rank * count);  // of one pivot after the other
    std::vector<double> sums(count);
    for (std::size_t k = rank; k-- > 0;) {
      double* const left = weights.data() + k * count;
      std::copy_n(columns[k].begin() + static_cast<std::ptrdiff_t>(begin), count, left);
      subtract(left, count, &at_pivots[k * rank] + k + 1, rank - k - 1,
               [&](std::size_t j) { return weights.data() + (k + 1 + j) * count; });
      const double scale = 1 / at_pivots[k * rank + k];
      for (std::size_t e = 0; e < count; ++e) {
        left[e] *= scale;
        sums[e] += std::abs(left[e]);
      }
    }
    parts[begin / at_once] = std::ranges::max(sums);
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

/// The error that is asked for, and what the rounding of κ adds up to.
struct Wanted {
  double error;
  double of_kernel;
};

/// Pivoted Cholesky of κ over every `stride`-th record, step by step.
class Cholesky {
 public:
  Cholesky(const LoweredKernel& kernel, std::size_t stride)
      : kappa_(kernel),
        stride_(stride),
        records_((kernel.record_count + stride - 1) / stride),
        left_(records_, [&](std::size_t e) { return kappa_(stride * e, stride * e); }) {}

  std::size_t rank() const { return columns_.size(); }

  /// Whether these factors are enough. Throws `Error` if κ proves not to be positive semidefinite.
  bool enough(const Wanted& wanted) const {
    const double rounding = rounding_of_sums(sum_of_pivots_);
    // A diagonal that is negative by less than the allowed error, or by a few roundings a step, may be due to rounding of κ.
    if (left_.least() < -std::max(wanted.error, 8 * unit_roundoff * static_cast<double>(rank() + 1))) {
      throw Error(fmt::format("a kernel over {} labels is not positive semidefinite: it has no factors", records_));
    }
    // What the factors leave out is less than the error by as much as rounding adds to it.
    return left_[left_.pivot()] <=
           std::max(std::min(truncated_share * wanted.error, wanted.error - 2 * (rounding + wanted.of_kernel)),
                    rounding);
  }

  /// Adds steps until there are enough factors, or `most`. Whether they are enough.
  bool finish(const Wanted& wanted, std::size_t most) {
    while (!enough(wanted)) {
      if (rank() == most) return false;
      add(left_.pivot());
    }
    return true;
  }

  /// Takes the steps of a sample of these records, all of them in one pass: a core has the factors of few records in its cache, where step
  /// by step those of all records pass through it each time.
  void follow(const Cholesky& sample);

  Factors factors(const Wanted& wanted) const {
    Factors factors;
    factors.rank = factors.terms = rank();
    factors.error = known_error(kappa_, columns_, pivots_,
                                {records_, wanted.of_kernel, sum_of_pivots_, left_[left_.pivot()], wanted.error});
    factors.values = by_record(columns_, records_);
    factors.errors = errors_;
    for (double& of_first : factors.errors) of_first = std::max(of_first, factors.error);
    factors.errors.push_back(factors.error);
    return factors;
  }

 private:
  void add(std::size_t pivot) {
    begin_step(pivot, left_[pivot], 1 / std::sqrt(left_[pivot]));
    std::vector<double> at_pivot;
    for (std::size_t k = 0; k + 1 < rank(); ++k) at_pivot.push_back(columns_[k][pivot]);
    left_.update(
        [&](double* left, std::size_t begin, std::size_t end) { step(rank() - 1, at_pivot.data(), left, begin, end); });
  }

  /// Makes room for the factors of a step, before which `largest` is the largest of the diagonal.
  void begin_step(std::size_t pivot, double largest, double scale) {
    columns_.emplace_back(records_);
    pivots_.push_back(pivot);
    scales_.push_back(scale);
    errors_.push_back(largest);
    sum_of_pivots_ += largest;
  }

  /// φ_k(e) = (κ(e, pivot) − Σ_j φ_j(e) φ_j(pivot)) / √d(pivot) of some records, and what they leave of the diagonal.
  void step(std::size_t k, const double* at_pivot, double* left, std::size_t begin, std::size_t end) {
    Column& column = columns_[k];
    const std::size_t pivot = pivots_[k];
    for (std::size_t e = begin; e < end; ++e) column[e] = kappa_(stride_ * e, stride_ * pivot);
    subtract(column.data() + begin, end - begin, at_pivot, k,
             [&](std::size_t j) { return columns_[j].data() + begin; });
    for (std::size_t e = begin; e < end; ++e) column[e] *= scales_[k];
    // In rows of earlier pivots nothing is left but rounding.
    for (std::size_t j = 0; j < k; ++j) {
      if (pivots_[j] >= begin && pivots_[j] < end) column[pivots_[j]] = 0;
    }
    for (std::size_t e = begin; e < end; ++e) left[e] = e == pivot ? 0 : left[e] - column[e] * column[e];
  }

  Evaluator kappa_;
  std::size_t stride_;
  std::size_t records_;
  Diagonal left_;
  std::vector<Column> columns_;
  std::vector<std::size_t> pivots_;
  std::vector<double> scales_;  ///< 1 / √d of the pivots
  std::vector<double> errors_;  ///< the largest of the diagonal before each step
  double sum_of_pivots_ = 0;    ///< of these
};

void Cholesky::follow(const Cholesky& sample) {
  const std::size_t rank = sample.rank();
  const std::size_t ratio = sample.stride_ / stride_;
  std::vector<double> at_pivots;  // φ_j of pivot k, in row k
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t j = 0; j < rank; ++j) at_pivots.push_back(sample.columns_[j][sample.pivots_[k]]);
    begin_step(ratio * sample.pivots_[k], 0, sample.scales_[k]);
  }
  std::mutex mutex;  // of `errors_`
  left_.update([&](double* left, std::size_t begin, std::size_t end) {
    std::vector<double> largest(rank);
    const std::size_t at_once = cached_records(rank);
    for (std::size_t first = begin; first < end; first += at_once) {
      const std::size_t last = std::min(first + at_once, end);
      for (std::size_t k = 0; k < rank; ++k) {
        largest[k] = std::max(largest[k], *std::max_element(left + first, left + last));
        step(k, &at_pivots[k * rank], left, first, last);
      }
    }
    const std::lock_guard lock(mutex);
    for (std::size_t k = 0; k < rank; ++k) errors_[k] = std::max(errors_[k], largest[k]);
  });
  for (std::size_t k = 0; k < rank; ++k) {
    // What was subtracted is what stays, to the bit, on every machine.
    for (std::size_t j = 0; j < rank; ++j) columns_[j][pivots_[k]] = at_pivots[k * rank + j];
    sum_of_pivots_ += errors_[k];
  }
}

/// With more than `many` records, pivots are first looked for among about `sampled` of them. The pivots of a sample
/// suffice for nearly all records; the few more that are needed are added then.
constexpr std::size_t many = std::size_t(1) << 15;
constexpr std::size_t sampled = std::size_t(1) << 12;

}  // namespace

std::optional<Factors> pivoted_cholesky(const LoweredKernel& kernel, double error, std::size_t most) {
  const Wanted wanted{error, unit_roundoff * kernel_rounding(kernel, deep_exponent).whole};
  Cholesky all(kernel, 1);
  if (kernel.record_count > many) {
    Cholesky sample(kernel, kernel.record_count / sampled);
    if (!sample.finish(wanted, most)) return std::nullopt;
    if (sample.rank() > 0) all.follow(sample);
  }
  if (!all.finish(wanted, most)) return std::nullopt;
  return all.factors(wanted);
}

}  // namespace octile
