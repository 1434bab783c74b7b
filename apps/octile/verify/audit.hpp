// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <octile/graph.hpp>
#include <octile/problem.hpp>

#include "output/exit_codes.hpp"
#include "output/stored_matrix.hpp"

namespace octile::app {

/// A matrix to check, and the graphs from which it is said to be computed: those of its rows, then, if it is a rectangle, those of
/// its columns.
struct AuditedMatrix {
  const StoredMatrix* values = nullptr;
  const StoredMatrix* errors = nullptr;  ///< the bounds of the relative errors; null if there are none
  std::span<const Graph> graphs;
  const KernelSpec* kernel = nullptr;
  bool normalized = false;
  double allowed = 0;  ///< relative error of a value that was not normalised
  bool proven = false;

  std::size_t rows() const { return values->rows(); }
  bool symmetric() const { return rows() == graphs.size(); }
  /// The number of the graph of a column.
  std::size_t column_graph(std::size_t column) const { return symmetric() ? column : rows() + column; }
};

struct AuditSample {
  std::size_t pairs = 12;
  std::uint64_t seed = 1;
  std::size_t most_unknowns = 3000;  ///< n·m of a pair that the reference solves
  std::size_t submatrix = 200;       ///< most graphs of the submatrix whose eigenvalues are computed
};

enum class AuditVerdict {
  good,
  wrong,
  not_checked,  ///< what it takes is not there
};

/// What one check found.
struct AuditFinding {
  std::string check;  ///< a word or two
  std::string words;  ///< what was looked at, and what was found
  AuditVerdict verdict = AuditVerdict::good;
  ExitCode code = exit_disagreement;  ///< if it is wrong
};

/// The values, and the bounds if there are any, match the checksums that were written with them. Without these nothing is checked.
AuditFinding check_checksums(const StoredMatrix& values, const StoredMatrix* errors);
/// The bounds of a .npy file are looked at, if any were written. Nothing where that is so.
std::optional<AuditFinding> check_bounds(const StoredMatrix& values, const StoredMatrix* errors);
/// All pairs converged, as it was written.
AuditFinding check_convergence(const StoredMatrix& matrix);
/// K_ij and K_ji are equal to the bit, of all pairs or of 100,000 at random. For a symmetric matrix.
AuditFinding check_symmetry(const AuditedMatrix& matrix, const AuditSample& sample);
/// Values of the diagonal are 1 if normalised, and else numbers ≥ 0. For a symmetric matrix.
AuditFinding check_diagonal(const AuditedMatrix& matrix);
/// Random pairs agree with the reference, within the error that is allowed, and within the bounds where they are written.
AuditFinding check_values(const AuditedMatrix& matrix, const AuditSample& sample);
/// No eigenvalue of a principal submatrix of random graphs is below −a λmax, with a the allowed relative error: errors of that size
/// in values ≥ 0 move no eigenvalue further. For a symmetric matrix.
AuditFinding check_eigenvalues(const AuditedMatrix& matrix, const AuditSample& sample);

}  // namespace octile::app
