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
#include <octile/reference/system.hpp>

namespace octile::reference {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Throws `Error` for a pair that is too large to be factorized.
void require_size(const Graph& first, const Graph& second) {
  const auto unknowns =
      static_cast<std::size_t>(first.vertex_count()) * static_cast<std::size_t>(second.vertex_count());
  if (unknowns > Solver::most_unknowns) {
    throw Error(fmt::format("graphs '{}' and '{}': the reference backend would factorize {} unknowns; allowed are {}",
                            first.name(), second.name(), unknowns, Solver::most_unknowns));
  }
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
  // What double has of so small a value is not known.
  if (known.value > 0 && known.value < least_value) result.error_bound = std::numeric_limits<double>::infinity();
  if (gradient == nullptr) return result;
  if (node_weights.empty()) {
    *gradient = derivatives(system, kernel, system.p, of_x.x, of_y.x);
    return result;
  }
  const Vector weights = Eigen::Map<const Eigen::VectorXd>(node_weights.data(), system.d.size()).cast<Real>();
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
    answer.results[k] =
        solve_pair(graph(pair.first), graph(pair.second), kernel_, request.right_hand_side, options_.tolerance,
                   node_weights, x, request.derivatives == Derivatives::not_asked ? nullptr : &gradient);
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
