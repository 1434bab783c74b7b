// SPDX-License-Identifier: BSD-3-Clause
#include <octile/reference/solver.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <octile/error.hpp>
#include <octile/reference/base_kernels.hpp>

namespace octile::reference {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXd;
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

/// `weight`: d_i = Σ_j A_ij + q. `probability`: d_i = Σ_j A_ij / (1 − q), 1 for an isolated vertex.
VectorXd degrees(const MatrixXd& a, const Stopping& stopping) {
  VectorXd d = a.rowwise().sum();
  for (Index i = 0; i < d.size(); ++i) {
    if (stopping.meaning() == StoppingMeaning::weight) {
      d(i) += stopping.q();
    } else {
      d(i) = d(i) > 0 ? d(i) / (1 - stopping.q()) : 1;
    }
  }
  return d;
}

VectorXd starting(const Graph& graph) {
  return Eigen::Map<const VectorXd>(graph.starting_probability().data(), graph.vertex_count());
}

// ---- The pair's system ------------------------------------------------------------------------------------------

/// (a ⊗ b)_ii' = a_i b_i'.
VectorXd kronecker(const VectorXd& a, const VectorXd& b) {
  VectorXd product(a.size() * b.size());
  for (Index i = 0; i < a.size(); ++i) product.segment(i * b.size(), b.size()) = a(i) * b;
  return product;
}

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
MatrixXd kernel_values(const Expression& kernel, const std::vector<Labels>& a, const std::vector<Labels>& b, bool open,
                       const Graph& first, const Graph& second) {
  constexpr double one = 1 + 1e-12;  // a sum of weights such as 0.7 + 0.2 + 0.1 rounds above 1
  MatrixXd values(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t l = 0; l < b.size(); ++l) {
      const double value = evaluate(kernel.root(), a[k], b[l]);
      if (!(value <= one) || value < 0 || (open && value == 0)) {
        throw Error(fmt::format("graphs '{}' and '{}': {} kernel '{}' is {} between {} {} and {}; allowed is {}",
                                first.name(), second.name(), open ? "vertex" : "edge", kernel.text(), value,
                                open ? "vertices" : "edges", k, l, open ? "(0, 1]" : "[0, 1]"));
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

/// Throws `Error` for a pair that is too large to be factorized.
void require_size(const Graph& first, const Graph& second) {
  const auto unknowns =
      static_cast<std::size_t>(first.vertex_count()) * static_cast<std::size_t>(second.vertex_count());
  if (unknowns > Solver::most_unknowns) {
    throw Error(fmt::format("graphs '{}' and '{}': the reference backend would factorize {} unknowns; allowed are {}",
                            first.name(), second.name(), unknowns, Solver::most_unknowns));
  }
}

/// The dense system of a pair, and what it is made of.
struct System {
  std::vector<Labels> vertices, vertices_prime, edges, edges_prime;
  MatrixXd a, a_prime;
  VectorXd degree, degree_prime;  ///< d_i, d'_i'
  VectorXd p, d, v, b;            ///< diagonals and right-hand sides of n·m elements
  MatrixXd matrix;                ///< D× V×⁻¹ − A× ⊙ E×

  System(const Graph& first, const Graph& second, const KernelSpec& kernel)
      : vertices(rows_of(first.vertex_labels(), static_cast<std::size_t>(first.vertex_count()))),
        vertices_prime(rows_of(second.vertex_labels(), static_cast<std::size_t>(second.vertex_count()))),
        edges(rows_of(first.edge_labels(), first.edge_count())),
        edges_prime(rows_of(second.edge_labels(), second.edge_count())),
        a(adjacency(first)),
        a_prime(adjacency(second)),
        degree(degrees(a, kernel.stopping)),
        degree_prime(degrees(a_prime, kernel.stopping)),
        p(kronecker(starting(first), starting(second))),
        d(kronecker(degree, degree_prime)),
        b(d * (kernel.stopping.q() * kernel.stopping.q())) {
    const MatrixXd kappa_v = kernel_values(kernel.vertex, vertices, vertices_prime, true, first, second);
    v = kappa_v.transpose().reshaped();  // v_ii' = κv(v_i, v'_i'), i' running fastest
    const MatrixXd kappa_e = kernel_values(kernel.edge, edges, edges_prime, false, first, second);
    matrix = -off_diagonal(first, second, kappa_e);
    matrix.diagonal() += d.cwiseQuotient(v);
  }

  /// A× ⊙ E×, with these values for κe.
  MatrixXd off_diagonal(const Graph& first, const Graph& second, const MatrixXd& kappa) const {
    return kronecker(a, a_prime).cwiseProduct(edge_product(edge_index(first), edge_index(second), kappa));
  }
};

/// ∂κ / ∂θ between all of `a` and all of `b`.
MatrixXd slopes(const Expression& kernel, Position position, const std::vector<Labels>& a,
                const std::vector<Labels>& b) {
  MatrixXd values(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t l = 0; l < b.size(); ++l) {
      values(static_cast<Index>(k), static_cast<Index>(l)) = slope(kernel.root(), position, a[k], b[l]);
    }
  }
  return values;
}

/// ∂K = yᵀ (∂b − ∂S x) by every parameter; of K − q² p×ᵀ κv if walks of no step are left out.
std::vector<double> derivatives(const System& system, const Graph& first, const Graph& second, const KernelSpec& kernel,
                                const VectorXd& x, const VectorXd& y) {
  const double q = kernel.stopping.q();
  const bool shorter = kernel.shortest_walk == 1;
  std::vector<double> all;
  for (const Position& position : positions(kernel.vertex.root())) {
    const MatrixXd dv = slopes(kernel.vertex, position, system.vertices, system.vertices_prime);
    const VectorXd slope_v = dv.transpose().reshaped();
    // ∂S = −D× ∂V× V×⁻²
    const VectorXd ds = -system.d.cwiseProduct(slope_v).cwiseQuotient(system.v.cwiseAbs2());
    const double single = shorter ? q * q * system.p.dot(slope_v) : 0;
    all.push_back(-y.dot(ds.cwiseProduct(x)) - single);
  }
  for (const Position& position : positions(kernel.edge.root())) {
    const MatrixXd de = slopes(kernel.edge, position, system.edges, system.edges_prime);
    all.push_back(y.dot(system.off_diagonal(first, second, de) * x));
  }
  // d_i = (Σ_j A_ij) + q, or (Σ_j A_ij) / (1 − q).
  const bool weight = kernel.stopping.meaning() == StoppingMeaning::weight;
  const VectorXd one = VectorXd::Ones(system.degree.size());
  const VectorXd one_prime = VectorXd::Ones(system.degree_prime.size());
  const VectorXd by_q = weight ? one : VectorXd(system.degree / (1 - q));
  const VectorXd by_q_prime = weight ? one_prime : VectorXd(system.degree_prime / (1 - q));
  const VectorXd dd = kronecker(by_q, system.degree_prime) + kronecker(system.degree, by_q_prime);
  const VectorXd db = 2 * q * system.d + q * q * dd;
  const double single = shorter ? 2 * q * system.p.dot(system.v) : 0;
  all.push_back(y.dot(db - dd.cwiseQuotient(system.v).cwiseProduct(x)) - single);
  return all;
}

/// Solves S x = b, or the adjoint system S y = p×; x receives the solution, and `gradient`, if there is one, ∂K.
PairResult solve_pair(const Graph& first, const Graph& second, const KernelSpec& kernel, RightHandSide right_hand_side,
                      double tolerance, VectorXd& x, std::vector<double>* gradient) {
  require_size(first, second);
  const System system(first, second, kernel);
  const bool adjoint = right_hand_side == RightHandSide::starting;
  const VectorXd& right = adjoint ? system.p : system.b;
  const VectorXd& weight = adjoint ? system.b : system.p;
  // Residuals are compared with the right-hand side, or with b / Σb for the adjoint system if p is 0 on a vertex.
  const bool bounds = right.minCoeff() > 0;
  const VectorXd scale = bounds ? right : VectorXd(system.b / system.b.sum());

  PairResult result;
  const Eigen::LLT<MatrixXd> factorization(system.matrix);
  if (factorization.info() != Eigen::Success) {
    x = VectorXd::Zero(system.d.size());
    result.residual = 1;
    result.status = Status::breakdown;
    return result;
  }
  x = factorization.solve(right);
  const double single =
      kernel.shortest_walk == 1 ? system.b.dot(system.p.cwiseProduct(system.v.cwiseQuotient(system.d))) : 0;
  const double whole = weight.dot(x);
  result.value = whole - single;
  result.residual = (right - system.matrix * x).cwiseQuotient(scale).cwiseAbs().maxCoeff();
  if (!std::isfinite(result.value) || !std::isfinite(result.residual) || !(whole >= least_value)) {
    result.status = Status::breakdown;
    return result;
  }
  result.status = result.residual <= tolerance ? Status::converged : Status::stagnated;
  if (bounds && result.value > 0) result.error_bound = result.residual * whole / result.value;
  if (gradient != nullptr) {
    const VectorXd other = factorization.solve(weight);
    *gradient = derivatives(system, first, second, kernel, adjoint ? other : x, adjoint ? x : other);
  }
  return result;
}

}  // namespace

Solver::Solver(std::span<const Graph> graphs, KernelSpec kernel, const SolveOptions& options)
    : graphs_(graphs.begin(), graphs.end()), kernel_(std::move(kernel)), options_(options) {
  check_labels(kernel_.vertex.root(), graphs_, "vertex");
  check_labels(kernel_.edge.root(), graphs_, "edge");
}

std::size_t Solver::unknowns(Pair pair) const {
  return static_cast<std::size_t>(graph(pair.first).vertex_count()) *
         static_cast<std::size_t>(graph(pair.second).vertex_count());
}

std::size_t Solver::parameter_count() const {
  return positions(kernel_.vertex.root()).size() + positions(kernel_.edge.root()).size() + 1;
}

void Solver::answer_to(const Request& request, const Answer& answer) {
  const std::size_t parameters = parameter_count();
  std::vector<double> gradient(parameters);
  for (std::size_t k = 0; k < request.pairs.size(); ++k) {
    const Pair pair = request.pairs[k];
    VectorXd x;
    std::ranges::fill(gradient, 0.0);
    answer.results[k] =
        solve_pair(graph(pair.first), graph(pair.second), kernel_, request.right_hand_side, options_.tolerance, x,
                   request.derivatives == Derivatives::not_asked ? nullptr : &gradient);
    if (!request.nodewise_begin.empty()) {
      std::ranges::copy(x, answer.nodewise.begin() + static_cast<std::ptrdiff_t>(request.nodewise_begin[k]));
    }
    for (std::size_t t = 0; t < parameters && request.derivatives != Derivatives::not_asked; ++t) {
      if (request.derivatives == Derivatives::each) {
        answer.derivatives[k * parameters + t] = gradient[t];
      } else {
        answer.derivatives[t] += request.weights[k] * gradient[t];
      }
    }
  }
}

std::string Solver::description() const { return "dense Kronecker matrices in double, Cholesky"; }

std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup) {
  if (setup.precision != Precision::float64) throw Error("backend 'reference' computes in float64 only");
  return std::make_unique<Solver>(setup.graphs, setup.kernel, setup.options);
}

}  // namespace octile::reference
