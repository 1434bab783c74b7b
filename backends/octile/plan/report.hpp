// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/kernels/factors.hpp>
#include <octile/lowerings.hpp>
#include <octile/plan/pairwise.hpp>

#include <string>
#include <string_view>

// How a plan describes the lowering that it chose.
namespace octile::plan::report {

/// Nanoseconds as "12.3 us".
std::string shown(double nanoseconds);

/// "factored, rank 9, error … and at most … in K"; `relative_error` is that of K.
std::string of_factors(const Factors& factors, double relative_error);

/// The closed form; `nanoseconds` is the whole cost of the mean pair.
std::string of_closed_form(double nanoseconds);

/// A lowering for all pairs. `method` is its name with details, `nanoseconds` the cost of an iteration of the mean pair.
std::string of_all(std::string_view method, double nanoseconds);

/// A choice by pair, between factors and `other`.
std::string by_pair(const std::string& factors, Lowering other, const PairwiseTotals& totals);

}  // namespace octile::plan::report
