// SPDX-License-Identifier: BSD-3-Clause
#include <octile/reference/solver.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
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
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

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

/// (a ⊗ b)_ii' = a_i b_i'.
Vector kronecker(const Vector& a, const Vector& b) {
  Vector product(a.size() * b.size());
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
  std::vector<Edge> ends, ends_prime;
  MatrixXd a, a_prime;
  MatrixXi e, e_prime;
  Vector degree, degree_prime;  ///< d_i, d'_i'
  Vector p, d, v, b;            ///< diagonals and right-hand sides of n·m elements
  Matrix kappa_e;               ///< κe between edges
  Vector rounding_v;            ///< of κv, relative, and of κe, in roundoffs
  Matrix rounding_e;
  Real q;
  bool walks;  ///< both graphs have edges

  System(const Graph& first, const Graph& second, const KernelSpec& kernel)
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

  /// D× V×⁻¹ − A× ⊙ E×.
  MatrixXd matrix() const {
    MatrixXd dense = -kronecker(a, a_prime).cwiseProduct(edge_product(e, e_prime, kappa_e.cast<double>()));
    dense.diagonal() += d.cwiseQuotient(v).cast<double>();
    return dense;
  }

  /// (A× ⊙ E×) x with these values for κe, a pair of edges after the other.
  Vector off_diagonal(const Matrix& kappa, const Vector& x) const {
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

  /// How many terms each row of the product has, and a degree.
  Vector terms() const {
    const auto neighbours = [](const MatrixXi& edges_of) {
      return Vector((edges_of.array() >= 0).cast<Real>().rowwise().sum().matrix());
    };
    const Vector left = neighbours(e);
    const Vector right = neighbours(e_prime);
    return kronecker(left, right) + kronecker(left, Vector::Ones(right.size())) +
           kronecker(Vector::Ones(left.size()), right);
  }
};

/// The solution of a pair's system, with |r| and what rounding leaves unknown of it in each row, r the residual.
struct Solution {
  Vector x;
  Vector error;
};

/// By factorization in double, and twice again for the residual in extended precision. That rounds by a unit for each term of a
/// row, by a hundred at most where degrees and products of weights are formed, and as base kernels do.
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
    solution.error =
        residual.cwiseAbs() + unit * (roundings.cwiseProduct(right.cwiseAbs() + diagonal.cwiseAbs() + product.cwiseAbs()) +
                                      system.rounding_v.cwiseProduct(diagonal.cwiseAbs()) +
                                      system.off_diagonal(system.rounding_e, solution.x.cwiseAbs()));
  }
  return solution;
}

/// ∂κ / ∂θ between all of `a` and all of `b`.
Matrix slopes(const Expression& kernel, Position position, const std::vector<Labels>& a, const std::vector<Labels>& b) {
  Matrix values(static_cast<Index>(a.size()), static_cast<Index>(b.size()));
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t l = 0; l < b.size(); ++l) {
      values(static_cast<Index>(k), static_cast<Index>(l)) = slope(kernel.root(), position, a[k], b[l]);
    }
  }
  return values;
}

/// ∂F = yᵀ (∂b − ∂S x) of F = wᵀ x by every parameter, with S y = w; of F − q² wᵀ κv if walks of no step are left out. K has p× for w.
std::vector<double> derivatives(const System& system, const KernelSpec& kernel, const Vector& w, const Vector& x,
                                const Vector& y) {
  const Real q = system.q;
  const bool shorter = kernel.shortest_walk == 1;
  // M x = b + N x and M y = w + N y, with which nothing cancels where walks of a step are rare.
  const Vector product_x = system.off_diagonal(system.kappa_e, x);
  const Vector product_y = system.off_diagonal(system.kappa_e, y);
  std::vector<double> all;
  const auto add = [&all](Real derivative) { all.push_back(static_cast<double>(derivative)); };
  for (const Position& position : positions(kernel.vertex.root())) {
    const Matrix dv = slopes(kernel.vertex, position, system.vertices, system.vertices_prime);
    const Vector slope_v = dv.transpose().reshaped();
    if (shorter) {  // less q² w ∂κv
      add(slope_v.dot(q * q * product_y + (w + product_y).cwiseProduct(product_x).cwiseQuotient(system.d)));
      continue;
    }
    // ∂S = −D× ∂V× V×⁻²
    const Vector ds = -system.d.cwiseProduct(slope_v).cwiseQuotient(system.v.cwiseAbs2());
    add(-y.dot(ds.cwiseProduct(x)));
  }
  for (const Position& position : positions(kernel.edge.root())) {
    const Matrix de = slopes(kernel.edge, position, system.edges, system.edges_prime);
    add(y.dot(system.off_diagonal(de, x)));
  }
  // d_i = (Σ_j A_ij) + q, or (Σ_j A_ij) / (1 − q).
  const bool weight = kernel.stopping.meaning() == StoppingMeaning::weight;
  const Vector one = Vector::Ones(system.degree.size());
  const Vector one_prime = Vector::Ones(system.degree_prime.size());
  const Vector by_q = weight ? one : Vector(system.degree / (1 - q));
  const Vector by_q_prime = weight ? one_prime : Vector(system.degree_prime / (1 - q));
  const Vector dd = kronecker(by_q, system.degree_prime) + kronecker(system.degree, by_q_prime);
  // ∂b − ∂S x = 2 q D× + ∂D× (q² − x / κv), of which the bracket is −N x / D×; less 2 q w κv.
  const Real stopped = shorter ? system.v.dot(product_y) : system.d.dot(y);
  add(2 * q * stopped - y.dot(dd.cwiseQuotient(system.d).cwiseProduct(product_x)));
  return all;
}

/// K and the largest |value − K|, as they are known in extended precision.
struct Known {
  Real value;
  Real error;
};

/// From x, whose error is at most ε x entry by entry where |r| ≤ ε b (docs/mathematics.md). Walks of at least one step are
/// x − q² κv = M⁻¹ N x, of which no entry cancels and each has the relative error of x.
Known known_by(const System& system, const Solution& of_x, bool without_single) {
  constexpr Real unit = std::numeric_limits<Real>::epsilon() / 2;
  if (without_single && !system.walks) return {0, 0};
  const Real epsilon = of_x.error.cwiseQuotient(system.b).maxCoeff();
  const auto sum = static_cast<Real>(system.d.size() + 100);
  if (!without_single) {
    const Real whole = system.p.dot(of_x.x);
    return {whole, (epsilon + sum * unit) * whole};
  }
  const Vector weights = system.p.cwiseProduct(system.v).cwiseQuotient(system.d);
  const Vector product = system.off_diagonal(system.kappa_e, of_x.x);
  const Vector roundings = system.terms() + system.rounding_v + Vector::Constant(product.size(), sum);
  const Vector unknown = unit * (roundings.cwiseProduct(product) + system.off_diagonal(system.rounding_e, of_x.x));
  const Real value = weights.dot(product);
  return {value, epsilon * value + weights.dot(unknown)};
}

/// Solves S x = b, or the adjoint system S y = p×; x receives the solution, and `gradient`, if there is one, ∂K, or ∂(wᵀ x) with
/// weights w of vertex pairs.
PairResult solve_pair(const Graph& first, const Graph& second, const KernelSpec& kernel, RightHandSide right_hand_side,
                      double tolerance, std::span<const double> node_weights, std::vector<double>& x,
                      std::vector<double>* gradient) {
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  require_size(first, second);
  const System system(first, second, kernel);
  const bool adjoint = right_hand_side == RightHandSide::starting;

  PairResult result;
  result.error_bound = std::numeric_limits<double>::infinity();
  x.assign(static_cast<std::size_t>(system.d.size()), 0.0);
  const Eigen::LLT<MatrixXd> factorization(system.matrix());
  if (factorization.info() != Eigen::Success) {
    result.residual = 1;
    result.status = Status::breakdown;
    return result;
  }
  const Solution of_x = solve_system(system, factorization, system.b);
  const Solution of_y = adjoint || gradient != nullptr ? solve_system(system, factorization, system.p) : Solution{};
  const Solution& asked = adjoint ? of_y : of_x;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(asked.x(static_cast<Index>(k)));

  const Known known = known_by(system, of_x, kernel.shortest_walk == 1);
  result.value = static_cast<double>(known.value);
  // Residuals are compared with the right-hand side, or with b / Σb for the adjoint system if p is 0 on a vertex.
  const Vector& right = adjoint ? system.p : system.b;
  const Vector scale = right.minCoeff() > 0 ? right : Vector(system.b / system.b.sum());
  result.residual = static_cast<double>(asked.error.cwiseQuotient(scale).maxCoeff()) + unit;
  const bool underflows = !(system.p.dot(of_x.x) >= least_value);
  if (!std::isfinite(result.value) || !std::isfinite(result.residual) || underflows) {
    result.status = Status::breakdown;
    return result;
  }
  result.status = result.residual <= tolerance ? Status::converged : Status::stagnated;
  // Of the exact value: what is known of it, and the value's rounding to double.
  if (known.error < known.value)
    result.error_bound = static_cast<double>(known.error / (known.value - known.error)) + 2 * unit;
  if (known.value == 0 && known.error == 0) result.error_bound = 0;
  if (gradient == nullptr) return result;
  if (node_weights.empty()) {
    *gradient = derivatives(system, kernel, system.p, of_x.x, of_y.x);
    return result;
  }
  const Vector weights =
      Eigen::Map<const Eigen::VectorXd>(node_weights.data(), system.d.size()).cast<Real>();
  *gradient = derivatives(system, kernel, weights, of_x.x, solve_system(system, factorization, weights).x);
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
    std::vector<double> x;
    std::ranges::fill(gradient, 0.0);
    const std::span<const double> node_weights =
        request.node_weights.empty() ? request.node_weights
                                     : request.node_weights.subspan(request.nodewise_begin[k], unknowns(pair));
    answer.results[k] = solve_pair(graph(pair.first), graph(pair.second), kernel_, request.right_hand_side,
                                   options_.tolerance, node_weights, x,
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

std::string Solver::description() const { return "dense Kronecker matrices in double, Cholesky, corrected"; }

long double extended_value(const Graph& first, const Graph& second, const KernelSpec& kernel) {
  require_size(first, second);
  const System system(first, second, kernel);
  const Eigen::LLT<MatrixXd> factorization(system.matrix());
  if (factorization.info() != Eigen::Success) return std::numeric_limits<Real>::quiet_NaN();
  return known_by(system, solve_system(system, factorization, system.b), kernel.shortest_walk == 1).value;
}

std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup) {
  if (setup.precision != Precision::float64) throw Error("backend 'reference' computes in float64 only");
  return std::make_unique<Solver>(setup.graphs, setup.kernel, setup.options);
}

}  // namespace octile::reference
