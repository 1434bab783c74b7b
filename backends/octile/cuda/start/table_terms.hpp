// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace octile {

/// One of the terms of a symmetric table over ids: σ χ(a) χ(b).
struct TableTerm {
  double sign = 1;             ///< σ, 1 or −1
  std::vector<double> values;  ///< χ, an id each
};

/// A symmetric table, row by row, as a sum of terms by falling size, as few as leave out no eigenvalue of W^1/2 M W^1/2 that is
/// above `error` times the largest; W are the weights of the ids, which are positive.
std::vector<TableTerm> table_terms(const std::vector<double>& table, const std::vector<double>& weights, double error);

}  // namespace octile
