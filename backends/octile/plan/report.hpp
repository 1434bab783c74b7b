// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/factors.hpp>
#include <octile/lowerings.hpp>
#include <octile/plan/pairwise.hpp>

#include <string>
#include <string_view>

#include <fmt/format.h>

// How a plan describes the lowering that it chose.
namespace octile::plan::report {

/// Nanoseconds as "12.3 us".
inline std::string shown(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.3g} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds * 1e-3);
  if (nanoseconds < 1e9) return fmt::format("{:.3g} ms", nanoseconds * 1e-6);
  return fmt::format("{:.3g} s", nanoseconds * 1e-9);
}

/// "factored, rank 9, error … and at most … in K"; `relative_error` is that of K.
inline std::string of_factors(const Factors& factors, double relative_error) {
  const std::string error = factors.error == 0 ? "exact"
                                               : fmt::format("error {:.1e} in the edge kernel and at most {:.1e} in K",
                                                             factors.error, relative_error);
  return fmt::format("{}, rank {}{}, {}", lowering_name(Lowering::factored), factors.rank,
                     factors.sparse() ? " (sparse)" : "", error);
}

/// The closed form; `nanoseconds` is the whole cost of the mean pair.
inline std::string of_closed_form(double nanoseconds) {
  return fmt::format("lowering {}, exact, predicted {} a pair", lowering_name(Lowering::closed_form),
                     shown(nanoseconds));
}

/// A lowering for all pairs. `method` is its name with details, `nanoseconds` the cost of an iteration of the mean pair.
inline std::string of_all(std::string_view method, double nanoseconds) {
  return fmt::format("lowering {}, predicted {} an iteration", method, shown(nanoseconds));
}

/// A choice by pair, between factors and `other`.
inline std::string by_pair(const std::string& factors, Lowering other, const PairwiseTotals& totals) {
  return fmt::format("lowering by pair: {}, for {:.0f} % of pairs, else {}, predicted {} an iteration of all", factors,
                     100 * totals.share, lowering_name(other), shown(totals.by_pair));
}

}  // namespace octile::plan::report
