// SPDX-License-Identifier: BSD-3-Clause
#include <octile/reference/system.hpp>

#include <octile/error.hpp>

#include <cstddef>
#include <limits>

#include <fmt/format.h>

namespace octile::reference {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;

// ---- One graph's quantities -------------------------------------------------------------------------------------

/// A; its row sums are the weighted degrees.
MatrixXd adjacency(const Graph& graph) {
  MatrixXd a = MatrixXd::Zero(graph.vertex_count(), graph.vertex_count());
  for (const Edge& edge : graph.edges()) a(edge.i, edge.j) = a(edge.j, edge.i) = edge.weight;
  return a;
}

/// E: the number of the edge that joins i and j, −1 for none.
MatrixXi edge_index(const Graph& graph) {
  MatrixXi e = MatrixXi::Constant(graph.vertex_count(), graph.vertex_count(), -1);
  int k = 0;
  for (const Edge& edge : graph.edges()) {
    e(edge.i, edge.j) = e(edge.j, edge.i) = k;
    ++k;
  }
  return e;
}

/// `weight`: d_i = Σ_j A_ij + q. `probability`: d_i = Σ_j A_ij / (1 − q), and for an isolated vertex, whose d no value depends on, the least of the
/// others, or 1 (`Stopping::degrees`).
Vector degrees(const MatrixXd& a, const Stopping& stopping) {
  const Vector sums = a.cast<Real>().rowwise().sum();
  if (stopping.meaning() == StoppingMeaning::weight) return sums.array() + Real(stopping.q());
  const Vector d = sums / (1 - Real(stopping.q()));
  const Real none = std::numeric_limits<Real>::infinity();
  const Real least = (d.array() > 0).select(d.array(), none).minCoeff();
  return (d.array() > 0).select(d.array(), least < none ? least : Real(1));
}

Vector starting(const Graph& graph) {
  return Eigen::Map<const Eigen::VectorXd>(graph.starting_probability().data(), graph.vertex_count()).cast<Real>();
}

// ---- The pair's system ------------------------------------------------------------------------------------------

/// (A ⊗ B)_{ii',jj'} = A_ij B_i'j'.
MatrixXd kronecker(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd product(a.rows() * b.rows(), a.cols() * b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      product.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
    }
  }
  return product;
}

/// κ(a_k, b_l) for all k, l. Throws `Error` for a value outside of [0, 1], and if `open` for 0 as well.
Matrix kernel_values(const Expression& kernel, const std::vector<Labels>& a, const std::vector<Labels>& b, bool open,
                     const Graph& first, const Graph& second) {
  constexpr Real one = 1 + 1e-12;  // a sum of weights such as 0.7 + 0.2 + 0.1 rounds above 1
  Matrix values(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t l = 0; l < b.size(); ++l) {
      const Real value = evaluate(kernel.root(), a[k], b[l]);
      if (!(value <= one) || value < 0 || (open && value == 0)) {
        throw Error(fmt::format("graphs '{}' and '{}': {} kernel '{}' is {} between {} {} and {}; allowed is {}",
                                first.name(), second.name(), open ? "vertex" : "edge", kernel.text(),
                                static_cast<double>(value), open ? "vertices" : "edges", k, l,
                                open ? "(0, 1]" : "[0, 1]"));
      }
      values(static_cast<Index>(k), static_cast<Index>(l)) = value;
    }
  }
  return values;
}

/// The generalized Kronecker product (E ⊗κ E')_{ii',jj'} = κe(e_ij, e'_i'j'), 0 where one of the edges is missing.
MatrixXd edge_product(const MatrixXi& e, const MatrixXi& e_prime, const MatrixXd& kappa) {
  const Index m = e_prime.rows();
  MatrixXd product = MatrixXd::Zero(e.rows() * m, e.cols() * m);
  for (Index i = 0; i < e.rows(); ++i) {
    for (Index j = 0; j < e.cols(); ++j) {
      if (e(i, j) < 0) continue;
      for (Index k = 0; k < m; ++k) {
        for (Index l = 0; l < m; ++l) {
          if (e_prime(k, l) >= 0) product(i * m + k, j * m + l) = kappa(e(i, j), e_prime(k, l));
        }
      }
    }
  }
  return product;
}

}  // namespace

Vector kronecker(const Vector& a, const Vector& b) {
  Vector product(a.size() * b.size());
  for (Index i = 0; i < a.size(); ++i) product.segment(i * b.size(), b.size()) = a(i) * b;
  return product;
}

System::System(const Graph& first, const Graph& second, const KernelSpec& kernel)
    : vertices(rows_of(first.vertex_labels(), static_cast<std::size_t>(first.vertex_count()))),
      vertices_prime(rows_of(second.vertex_labels(), static_cast<std::size_t>(second.vertex_count()))),
      edges(rows_of(first.edge_labels(), first.edge_count())),
      edges_prime(rows_of(second.edge_labels(), second.edge_count())),
      ends(first.edges()),
      ends_prime(second.edges()),
      a(adjacency(first)),
      a_prime(adjacency(second)),
      e(edge_index(first)),
      e_prime(edge_index(second)),
      degree(degrees(a, kernel.stopping)),
      degree_prime(degrees(a_prime, kernel.stopping)),
      p(kronecker(starting(first), starting(second))),
      d(kronecker(degree, degree_prime)),
      b(d * (Real(kernel.stopping.q()) * Real(kernel.stopping.q()))),
      q(kernel.stopping.q()),
      walks(!ends.empty() && !ends_prime.empty()) {
  const Matrix kappa_v = kernel_values(kernel.vertex, vertices, vertices_prime, true, first, second);
  v = kappa_v.transpose().reshaped();  // v_ii' = κv(v_i, v'_i'), i' running fastest
  kappa_e = kernel_values(kernel.edge, edges, edges_prime, false, first, second);
  const auto off = [](const Expression& of) { return [r = rounding(of.root())](Real kappa) { return r.of(kappa); }; };
  rounding_v = v.unaryExpr(off(kernel.vertex)).cwiseQuotient(v);
  rounding_e = kappa_e.unaryExpr(off(kernel.edge));
}

MatrixXd System::matrix() const {
  MatrixXd dense = -kronecker(a, a_prime).cwiseProduct(edge_product(e, e_prime, kappa_e.cast<double>()));
  dense.diagonal() += d.cwiseQuotient(v).cast<double>();
  return dense;
}

Vector System::off_diagonal(const Matrix& kappa, const Vector& x) const {
  Vector product = Vector::Zero(x.size());
  const Index m = a_prime.rows();
  for (std::size_t k = 0; k < ends.size(); ++k) {
    for (std::size_t l = 0; l < ends_prime.size(); ++l) {
      const auto [i, j, weight] = ends[k];
      const auto [i_prime, j_prime, weight_prime] = ends_prime[l];
      const Real c = Real(weight) * weight_prime * kappa(static_cast<Index>(k), static_cast<Index>(l));
      product(i * m + i_prime) += c * x(j * m + j_prime);
      product(j * m + j_prime) += c * x(i * m + i_prime);
      product(i * m + j_prime) += c * x(j * m + i_prime);
      product(j * m + i_prime) += c * x(i * m + j_prime);
    }
  }
  return product;
}

Vector System::terms() const {
  const auto neighbours = [](const MatrixXi& edges_of) {
    return Vector((edges_of.array() >= 0).cast<Real>().rowwise().sum().matrix());
  };
  const Vector left = neighbours(e);
  const Vector right = neighbours(e_prime);
  return kronecker(left, right) + kronecker(left, Vector::Ones(right.size())) +
         kronecker(Vector::Ones(left.size()), right);
}

Solution solve_system(const System& system, const Eigen::LLT<MatrixXd>& factorization, const Vector& right) {
  constexpr int corrections = 2;
  constexpr Real unit = std::numeric_limits<Real>::epsilon() / 2;
  const Vector roundings = system.terms() + Vector::Constant(right.size(), 100);
  Solution solution{Vector::Zero(right.size()), {}};
  Vector residual = right;
  for (int k = 0; k <= corrections; ++k) {
    solution.x += factorization.solve(residual.cast<double>()).cast<Real>();
    const Vector diagonal = system.d.cwiseQuotient(system.v).cwiseProduct(solution.x);
    const Vector product = system.off_diagonal(system.kappa_e, solution.x);
    residual = right - diagonal + product;
    solution.error = residual.cwiseAbs() +
                     unit * (roundings.cwiseProduct(right.cwiseAbs() + diagonal.cwiseAbs() + product.cwiseAbs()) +
                             system.rounding_v.cwiseProduct(diagonal.cwiseAbs()) +
                             system.off_diagonal(system.rounding_e, solution.x.cwiseAbs()));
  }
  return solution;
}

}  // namespace octile::reference
