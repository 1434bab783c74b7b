// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/problem.hpp>
#include <octile/reference/base_kernels.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <vector>

namespace octile::reference {

using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// (a ⊗ b)_ii' = a_i b_i'.
Vector kronecker(const Vector& a, const Vector& b);

/// The dense system of a pair, and what it is made of.
struct System {
  std::vector<Labels> vertices, vertices_prime, edges, edges_prime;
  std::vector<Edge> ends, ends_prime;
  Eigen::MatrixXd a, a_prime;
  Eigen::MatrixXi e, e_prime;
  Vector degree, degree_prime;  ///< d_i, d'_i'
  Vector p, d, v, b;            ///< diagonals and right-hand sides of n·m elements
  Matrix kappa_e;               ///< κe between edges
  Vector rounding_v;            ///< of κv, relative, and of κe, in roundoffs
  Matrix rounding_e;
  Real q;
  bool walks;  ///< both graphs have edges

  /// Throws `Error` for a base kernel whose value between labels of the two graphs is not allowed.
  System(const Graph& first, const Graph& second, const KernelSpec& kernel);

  /// D× V×⁻¹ − A× ⊙ E×.
  Eigen::MatrixXd matrix() const;
  /// (A× ⊙ E×) x with these values for κe, a pair of edges after the other.
  Vector off_diagonal(const Matrix& kappa, const Vector& x) const;
  /// How many terms each row of the product has, and a degree.
  Vector terms() const;
};

/// The solution of a pair's system, with |r| and what rounding leaves unknown of it in each row, r the residual.
struct Solution {
  Vector x;
  Vector error;
};

/// By factorization in double, and twice again for the residual in extended precision. That rounds by a unit for each term of a
/// row, by a hundred at most where degrees and products of weights are formed, and as base kernels do.
Solution solve_system(const System& system, const Eigen::LLT<Eigen::MatrixXd>& factorization, const Vector& right);

}  // namespace octile::reference
