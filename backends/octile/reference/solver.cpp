// SPDX-License-Identifier: BSD-3-Clause
#include <octile/reference/solver.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <octile/error.hpp>
#include <octile/reference/leaf_formulas.hpp>

namespace octile::reference {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXi;
using Eigen::VectorXd;
using Node = Expression::Node;

/// All labels of one vertex or of one edge.
using Labels = std::map<std::string, LabelValue, std::less<>>;

// ---- What a base kernel may read -------------------------------------------------------------------------------

enum class Family { numbers, texts };

/// The family of a column; nothing if it has no element that could be compared.
std::optional<Family> family_of(const LabelColumn& column) {
  if (const auto* lists = std::get_if<std::vector<RealList>>(&column)) {
    for (const RealList& list : *lists) {
      if (!list.empty()) return Family::numbers;
    }
    return std::nullopt;
  }
  if (const auto* lists = std::get_if<std::vector<TextList>>(&column)) {
    for (const TextList& list : *lists) {
      if (!list.empty()) return Family::texts;
    }
    return std::nullopt;
  }
  return std::holds_alternative<std::vector<std::string>>(column) ? Family::texts : Family::numbers;
}

bool has_lists(const LabelColumn& column) {
  return std::holds_alternative<std::vector<RealList>>(column) || std::holds_alternative<std::vector<TextList>>(column);
}

/// A delta compares labels; all other leaf kernels compute with them.
bool is_delta(const Node& node) { return node.kind == Expression::Kind::leaf && node.leaf->name == "delta"; }

/// Whether the tree computes with `attribute`.
bool computes_with(const Node& node, const std::string& attribute) {
  const bool here = node.kind == Expression::Kind::leaf && !is_delta(node) && node.attribute == attribute;
  bool below = false;
  for (const Node& child : node.children) below = below || computes_with(child, attribute);
  return here || below;
}

/// Checks the column that `node` reads in every graph: it must exist, have a type that can be read, and be comparable among graphs.
void check_column(const Node& node, std::span<const Graph> graphs, std::string_view what) {
  const bool wants_lists = node.kind == Expression::Kind::convolution;
  const bool wants_numbers = wants_lists ? computes_with(node.children.front(), "_") : !is_delta(node);
  const std::string wanted = wants_lists ? (wants_numbers ? "a list of reals" : "a list of reals or of texts")
                                         : (wants_numbers ? "integer or real" : "integer, real or text");
  const Graph* earlier = nullptr;
  std::optional<Family> earlier_family;
  for (const Graph& graph : graphs) {
    const bool of_vertices = what == "vertex";
    const LabelColumns& columns = of_vertices ? graph.vertex_labels() : graph.edge_labels();
    if (!of_vertices && graph.edge_count() == 0) continue;
    const auto found = columns.find(node.attribute);
    if (found == columns.end()) {
      throw Error(fmt::format("graph '{}' has no {} label '{}', which the {} kernel reads", graph.name(), what,
                              node.attribute, what));
    }
    const LabelColumn& column = found->second;
    const std::optional<Family> family = family_of(column);
    if (has_lists(column) != wants_lists || (wants_numbers && family == Family::texts)) {
      throw Error(fmt::format("graph '{}': {} label '{}' is {}; the kernel needs {}", graph.name(), what,
                              node.attribute, column_type_name(column), wanted));
    }
    if (!family) continue;
    if (earlier_family && *earlier_family != *family) {
      throw Error(fmt::format(
          "graph '{}': {} label '{}' is {}, but in graph '{}' it is {}", graph.name(), what, node.attribute,
          column_type_name(column), earlier->name(),
          column_type_name((of_vertices ? earlier->vertex_labels() : earlier->edge_labels()).at(node.attribute))));
    }
    earlier = &graph;
    earlier_family = family;
  }
}

void check_labels(const Node& node, std::span<const Graph> graphs, std::string_view what) {
  switch (node.kind) {
    case Expression::Kind::constant: return;
    case Expression::Kind::product:
    case Expression::Kind::sum:
      for (const Node& child : node.children) check_labels(child, graphs, what);
      return;
    case Expression::Kind::leaf:
    case Expression::Kind::convolution: check_column(node, graphs, what); return;
  }
}

// ---- Base kernels, restated -------------------------------------------------------------------------------------

double number(const LabelValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

/// Equality by value: an integer and a real are compared as numbers, in the type that holds both.
bool equal(const LabelValue& a, const LabelValue& b) {
  if (a.index() == b.index()) return a == b;
  // A long double holds every int64 and every double.
  const auto wide = [](const LabelValue& value) -> long double {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<long double>(*integer);
    return std::get<double>(value);
  };
  return wide(a) == wide(b);
}

/// A leaf kernel, of any labels.
double leaf(const Node& node, const LabelValue& a, const LabelValue& b) {
  if (is_delta(node)) return equal(a, b) ? 1 : node.parameters[0];
  return number_kernel(node.leaf->name, node.parameters, number(a), number(b));
}

/// The elements of a list, each as labels with one attribute '_'.
std::vector<Labels> elements(const LabelValue& list) {
  std::vector<Labels> all;
  if (const auto* reals = std::get_if<RealList>(&list)) {
    for (const double real : *reals) all.push_back({{"_", real}});
  } else {
    for (const std::string& text : std::get<TextList>(list)) all.push_back({{"_", text}});
  }
  return all;
}

/// κ(a, b) by walking the tree.
double evaluate(const Node& node, const Labels& a, const Labels& b) {
  switch (node.kind) {
    case Expression::Kind::constant: return node.parameters[0];
    case Expression::Kind::leaf: return leaf(node, a.at(node.attribute), b.at(node.attribute));
    case Expression::Kind::product: {
      double product = 1;
      for (const Node& child : node.children) product *= evaluate(child, a, b);
      return product;
    }
    case Expression::Kind::sum: {
      double sum = 0;
      for (const Node& child : node.children) sum += evaluate(child, a, b);
      return sum;
    }
    case Expression::Kind::convolution: {
      const std::vector<Labels> left = elements(a.at(node.attribute));
      const std::vector<Labels> right = elements(b.at(node.attribute));
      if (left.empty() || right.empty()) return 0;
      double sum = 0;
      for (const Labels& x : left) {
        for (const Labels& y : right) sum += evaluate(node.children.front(), x, y);
      }
      return sum / static_cast<double>(left.size() * right.size());
    }
  }
  throw Error("reference: unknown kind of base kernel");
}

// ---- One graph's quantities -------------------------------------------------------------------------------------

std::vector<Labels> rows_of(const LabelColumns& columns, std::size_t count) {
  std::vector<Labels> rows(count);
  for (const auto& [attribute, column] : columns) {
    for (std::size_t k = 0; k < count; ++k) rows[k].emplace(attribute, column_value(column, k));
  }
  return rows;
}

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

/// Solves S x = b, or the adjoint system S y = p×; x receives the solution.
PairResult solve_pair(const Graph& first, const Graph& second, const KernelSpec& kernel, RightHandSide right_hand_side,
                      double tolerance, VectorXd& x) {
  const auto unknowns =
      static_cast<std::size_t>(first.vertex_count()) * static_cast<std::size_t>(second.vertex_count());
  if (unknowns > Solver::most_unknowns) {
    throw Error(fmt::format("graphs '{}' and '{}': the reference backend would factorize {} unknowns; allowed are {}",
                            first.name(), second.name(), unknowns, Solver::most_unknowns));
  }
  const MatrixXd a = adjacency(first);
  const MatrixXd a_prime = adjacency(second);

  const VectorXd p = kronecker(starting(first), starting(second));
  const VectorXd d = kronecker(degrees(a, kernel.stopping), degrees(a_prime, kernel.stopping));
  const VectorXd q = VectorXd::Constant(d.size(), kernel.stopping.q() * kernel.stopping.q());
  const MatrixXd kappa_v = kernel_values(
      kernel.vertex, rows_of(first.vertex_labels(), static_cast<std::size_t>(first.vertex_count())),
      rows_of(second.vertex_labels(), static_cast<std::size_t>(second.vertex_count())), true, first, second);
  const VectorXd v = kappa_v.transpose().reshaped();  // v_ii' = κv(v_i, v'_i'), i' running fastest
  const MatrixXd kappa_e = kernel_values(kernel.edge, rows_of(first.edge_labels(), first.edge_count()),
                                         rows_of(second.edge_labels(), second.edge_count()), false, first, second);

  // D× V×⁻¹ − A× ⊙ E×
  MatrixXd matrix = -kronecker(a, a_prime);
  matrix.array() *= edge_product(edge_index(first), edge_index(second), kappa_e).array();
  matrix.diagonal() += d.cwiseQuotient(v);
  const VectorXd b = d.cwiseProduct(q);
  const bool adjoint = right_hand_side == RightHandSide::starting;
  const VectorXd& right = adjoint ? p : b;
  const VectorXd& weight = adjoint ? b : p;
  // Residuals are compared with the right-hand side, or with b / Σb for the adjoint system if p is 0 on a vertex.
  const VectorXd scale = right.minCoeff() > 0 ? right : VectorXd(b / b.sum());

  PairResult result;
  const Eigen::LLT<MatrixXd> factorization(matrix);
  if (factorization.info() != Eigen::Success) {
    x = VectorXd::Zero(d.size());
    result.residual = 1;
    result.status = Status::breakdown;
    return result;
  }
  x = factorization.solve(right);
  result.value = weight.dot(x);
  result.residual = (right - matrix * x).cwiseQuotient(scale).cwiseAbs().maxCoeff();
  if (!std::isfinite(result.value) || !std::isfinite(result.residual)) {
    result.status = Status::breakdown;
  } else {
    result.status = result.residual <= tolerance ? Status::converged : Status::stagnated;
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

void Solver::answer_to(const Request& request, const Answer& answer) {
  for (std::size_t k = 0; k < request.pairs.size(); ++k) {
    const Pair pair = request.pairs[k];
    VectorXd x;
    answer.results[k] =
        solve_pair(graph(pair.first), graph(pair.second), kernel_, request.right_hand_side, options_.tolerance, x);
    if (request.nodewise_begin.empty()) continue;
    std::ranges::copy(x, answer.nodewise.begin() + static_cast<std::ptrdiff_t>(request.nodewise_begin[k]));
  }
}

std::string Solver::description() const { return "dense Kronecker matrices in double, Cholesky"; }

std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup) {
  if (setup.precision != Precision::float64) throw Error("backend 'reference' computes in float64 only");
  return std::make_unique<Solver>(setup.graphs, setup.kernel, setup.options);
}

}  // namespace octile::reference
