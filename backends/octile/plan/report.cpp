// SPDX-License-Identifier: BSD-3-Clause
#include <octile/plan/report.hpp>

#include <fmt/format.h>

namespace octile::plan::report {

std::string shown(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.3g} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.3g} us", nanoseconds * 1e-3);
  if (nanoseconds < 1e9) return fmt::format("{:.3g} ms", nanoseconds * 1e-6);
  return fmt::format("{:.3g} s", nanoseconds * 1e-9);
}

std::string of_factors(const Factors& factors, double relative_error) {
  const std::string error = factors.error == 0 ? "exact"
                                               : fmt::format("error {:.1e} in the edge kernel and at most {:.1e} in K",
                                                             factors.error, relative_error);
  return fmt::format("{}, rank {}{}, {}", lowering_name(Lowering::factored), factors.rank,
                     factors.sparse() ? " (sparse)" : "", error);
}

std::string of_closed_form(double nanoseconds) {
  return fmt::format("lowering {}, exact, predicted {} a pair", lowering_name(Lowering::closed_form),
                     shown(nanoseconds));
}

std::string of_all(std::string_view method, double nanoseconds) {
  return fmt::format("lowering {}, predicted {} an iteration", method, shown(nanoseconds));
}

std::string by_pair(const std::string& factors, Lowering other, const PairwiseTotals& totals) {
  return fmt::format("lowering by pair: {}, for {:.0f} % of pairs, else {}, predicted {} an iteration of all", factors,
                     100 * totals.share, lowering_name(other), shown(totals.by_pair));
}

}  // namespace octile::plan::report
