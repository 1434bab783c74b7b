// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/spectrum.hpp>

#include <octile/base/unit_roundoff.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

namespace octile {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> to_vector(const VectorXd& vector) { return {vector.data(), vector.data() + vector.size()}; }

/// S V for the symmetric S = D^-1/2 A D^-1/2, edge by edge.
MatrixXd multiply(const Graph& graph, const VectorXd& root, const MatrixXd& rows) {
  // The rows of `rows` are the vectors. So an edge adds whole columns, which are contiguous.
  MatrixXd product = MatrixXd::Zero(rows.rows(), rows.cols());
  for (const Edge& edge : graph.edges()) {
    const double entry = edge.weight / (root(edge.i) * root(edge.j));
    product.col(edge.i) += entry * rows.col(edge.j);
    product.col(edge.j) += entry * rows.col(edge.i);
  }
  return product;
}

struct Eigenvectors {
  MatrixXd vectors;  ///< one a column
  VectorXd values;
};

/// All eigenvectors of S.
Eigenvectors decomposed(const Graph& graph, const VectorXd& root) {
  MatrixXd scaled = MatrixXd::Zero(root.size(), root.size());
  for (const Edge& edge : graph.edges()) {
    scaled(edge.i, edge.j) = scaled(edge.j, edge.i) = edge.weight / (root(edge.i) * root(edge.j));
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(scaled);
  return {solver.eigenvectors(), solver.eigenvalues()};
}

/// The eigenvectors whose sum is D^1/2 1, if walks stop with a probability: its part on the vertices with edges, for
/// the eigenvalue 1 − q, and its part on isolated vertices, for 0.
Eigenvectors vectors_of_walk(const Graph& graph, double q, const VectorXd& root) {
  MatrixXd parts = MatrixXd::Zero(root.size(), 2);
  const std::vector<double> degrees = graph.weighted_degrees();
  for (Index v = 0; v < root.size(); ++v) parts(v, degrees[static_cast<std::size_t>(v)] > 0 ? 0 : 1) = root(v);
  const double values[2] = {1 - q, 0};
  Eigenvectors found;
  for (Index part = 0; part < 2; ++part) {
    const double norm = parts.col(part).norm();
    if (norm == 0) continue;
    const Index count = found.values.size();
    found.vectors.conservativeResize(root.size(), count + 1);
    found.values.conservativeResize(count + 1);
    found.vectors.col(count) = parts.col(part) / norm;
    found.values(count) = values[part];
  }
  return found;
}

}  // namespace

double spectrum_rounding(std::int32_t vertices) {
  constexpr double of_entry = 24;
  const double n = vertices;
  // Sums are formed in four parts or more; the errors of n of them make a vector.
  return unit_roundoff * (of_entry + n + 0.25 * n * std::sqrt(n));
}

SpectraMemory::SpectraMemory(std::span<const Graph> graphs) {
  for (const Graph& graph : graphs) {
    const auto n = static_cast<std::size_t>(graph.vertex_count());
    kept += sizeof(Spectrum) + 4 * n * sizeof(double);
    vertices = std::max(vertices, n);
  }
  each = 4 * vertices * vertices * sizeof(double);
}

Spectrum spectrum_of(const Graph& graph, const Stopping& stopping, bool keep_vectors) {
  const Index n = graph.vertex_count();
  const std::vector<double> stopped = stopping.degrees(graph.weighted_degrees(), graph.stopping_scale());
  const VectorXd degrees = Eigen::Map<const VectorXd>(stopped.data(), n);
  const VectorXd root = degrees.cwiseSqrt();
  const Eigenvectors found = !keep_vectors && stopping.meaning() == StoppingMeaning::probability
                                 ? vectors_of_walk(graph, stopping.q(), root)
                                 : decomposed(graph, root);
  const MatrixXd& u = found.vectors;
  const VectorXd& lambda = found.values;
  const Eigen::Map<const VectorXd> start(graph.starting_probability().data(), n);

  Spectrum spectrum;
  const VectorXd to_stop = u.transpose() * root;
  const MatrixXd rows = u.transpose();
  const VectorXd residuals = (multiply(graph, root, rows) - lambda.asDiagonal() * rows).rowwise().norm();
  spectrum.eigenvalues = to_vector(lambda);
  spectrum.from_start = to_vector(u.transpose() * start.cwiseQuotient(root));
  spectrum.to_stop = to_vector(to_stop);
  spectrum.residuals = to_vector(residuals);
  spectrum.stop_norm = root.norm();
  spectrum.start_norm = start.cwiseQuotient(root).norm();
  spectrum.stop_residual = (root - u * to_stop).norm() / spectrum.stop_norm;
  spectrum.largest_eigenvalue = lambda.cwiseAbs().maxCoeff();
  spectrum.rounding = spectrum_rounding(graph.vertex_count());
  if (keep_vectors) {
    const MatrixXd vectors = root.cwiseInverse().asDiagonal() * u;
    spectrum.vectors.assign(vectors.data(), vectors.data() + vectors.size());
  }
  return spectrum;
}

void closed_form_nodewise(const Spectrum& first, const Spectrum& second, const ConstantKernels& kernels, double q,
                          RightHandSide right_hand_side, std::span<double> solution) {
  const auto n = static_cast<Index>(first.size());
  const auto m = static_cast<Index>(second.size());
  const bool adjoint = right_hand_side == RightHandSide::starting;
  const std::vector<double>& given = adjoint ? first.from_start : first.to_stop;
  const std::vector<double>& given_second = adjoint ? second.from_start : second.to_stop;
  const Eigen::Map<const MatrixXd> u(first.vectors.data(), n, n);
  const Eigen::Map<const MatrixXd> u_second(second.vectors.data(), m, m);
  MatrixXd z(n, m);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) {
      const auto a = static_cast<std::size_t>(i);
      const auto b = static_cast<std::size_t>(j);
      z(i, j) = given[a] * given_second[b] /
                (1 - kernels.vertex * kernels.edge * first.eigenvalues[a] * second.eigenvalues[b]);
    }
  }
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> x(solution.data(), n, m);
  x.noalias() = (adjoint ? kernels.vertex : kernels.vertex * q * q) * (u * z * u_second.transpose());
}

void closed_form_solutions(std::span<const Graph> graphs, const Stopping& stopping, const ConstantKernels& kernels,
                           const Request& request, std::span<double> nodewise) {
  struct Kept {
    std::int32_t graph = -1;
    Spectrum spectrum;
  };
  const auto decompose = [&](Kept& kept, std::int32_t graph) {
    if (kept.graph == graph) return;
    kept = {graph, spectrum_of(graphs[static_cast<std::size_t>(graph)], stopping, true)};
  };
  Kept first;
  Kept second;
  for (std::size_t k = 0; k < request.pairs.size(); ++k) {
    decompose(first, request.pairs[k].first);
    decompose(second, request.pairs[k].second);
    const std::size_t size = first.spectrum.size() * second.spectrum.size();
    closed_form_nodewise(first.spectrum, second.spectrum, kernels, stopping.q(), request.right_hand_side,
                         nodewise.subspan(request.nodewise_begin[k], size));
  }
}

}  // namespace octile
