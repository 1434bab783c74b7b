// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace octile::cuda {

/// One of the terms of a symmetric table over ids: σ χ(a) χ(b).
struct TableTerm {
  double sign = 1;             ///< σ, 1 or −1
  std::vector<double> values;  ///< χ, one value an id
};

/// A symmetric table M, given row by row, as a sum of terms by falling size. Eigenvalues of W^1/2 M W^1/2 that are at
/// most `error` times the largest are left out. W is the diagonal matrix of the ids' weights, which must be positive.
std::vector<TableTerm> table_terms(const std::vector<double>& table, const std::vector<double>& weights, double error);

}  // namespace octile::cuda
