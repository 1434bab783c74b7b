// SPDX-License-Identifier: BSD-3-Clause
#include <octile/factors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <octile/error.hpp>
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

Factors constant_factors(double value, std::size_t records) {
  Factors factors;
  factors.rank = factors.terms = 1;
  factors.values.assign(records, std::sqrt(value));
  factors.errors = {value, 0.0};
  return factors;
}

/// Factor 0 is the constant √h. Factor 1 + e belongs to record e, since under one delta each label has a record.
Factors delta_factors(double h, std::size_t records) {
  Factors factors;
  const std::uint32_t first = h > 0 ? 1 : 0;
  factors.terms = 1 + first;
  factors.rank = records + first;
  for (std::size_t e = 0; e < records; ++e) {
    if (h > 0) {
      factors.values.push_back(std::sqrt(h));
      factors.indices.push_back(0);
    }
    factors.values.push_back(std::sqrt(1 - h));
    factors.indices.push_back(first + static_cast<std::uint32_t>(e));
  }
  return factors;
}

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

std::optional<Factors> pivoted_cholesky(const LoweredKernel& kernel, double error, std::size_t most) {
  const Evaluator kappa(kernel);
  const std::size_t records = kernel.record_count;
  Diagonal left(records, [&](std::size_t e) { return kappa(e, e); });
  std::vector<Column> columns;
  std::vector<double> errors;
  for (;;) {
    const std::size_t pivot = left.pivot();
    const double rounding = factor_rounding(columns.size());
    // A diagonal that is negative by less than the allowed error may be due to rounding of κ.
    if (left.least() < -std::max(error, rounding)) {
      throw Error(fmt::format("a kernel over {} labels is not positive semidefinite: it has no factors", records));
    }
    if (left[pivot] <= std::max(error, rounding)) {
      Factors factors;
      factors.rank = factors.terms = columns.size();
      factors.values = by_record(columns, records);
      factors.error = left[pivot] <= rounding ? 0 : left[pivot];
      factors.errors = std::move(errors);
      factors.errors.push_back(factors.error);
      return factors;
    }
    errors.push_back(left[pivot]);
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
    };
    left.update(form, [&](std::size_t e, double before) { return e == pivot ? 0 : before - column[e] * column[e]; });
    columns.push_back(std::move(column));
  }
}

}  // namespace

double Factors::evaluate(std::uint32_t a, std::uint32_t b) const {
  double sum = 0;
  for (std::size_t s = 0; s < terms; ++s) {
    for (std::size_t t = sparse() ? 0 : s; t < (sparse() ? terms : s + 1); ++t) {
      const std::size_t left = a * terms + s;
      const std::size_t right = b * terms + t;
      if (!sparse() || indices[left] == indices[right]) sum += values[left] * values[right];
    }
  }
  return sum;
}

double factor_rounding(std::size_t rank) {
  return 4 * static_cast<double>(rank + 1) * std::numeric_limits<double>::epsilon();
}

std::optional<Factors> factorize(const LoweredKernel& kernel, double error, std::size_t most) {
  if (most == 0) return std::nullopt;
  // A set without edges has no records. It gets one factor without values.
  if (kernel.record_count == 0) return constant_factors(1, 0);
  if (kernel.constant()) return constant_factors(kernel.program[0].parameter, kernel.record_count);
  if (kernel.delta() && kernel.record_count > dense_labels) {
    return delta_factors(kernel.program[0].parameter, kernel.record_count);
  }
  return pivoted_cholesky(kernel, error, std::min(most, factor_limit));
}

}  // namespace octile
