// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/start/table_terms.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include <Eigen/Dense>

namespace octile::cuda {

std::vector<TableTerm> table_terms(const std::vector<double>& table, const std::vector<double>& weights, double error) {
  const auto ids = static_cast<Eigen::Index>(weights.size());
  const Eigen::VectorXd root = Eigen::Map<const Eigen::VectorXd>(weights.data(), ids).cwiseSqrt();
  // The table is symmetric, so row-major and column-major are the same.
  const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(table.data(), ids, ids);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(root.asDiagonal() * matrix * root.asDiagonal());
  const auto size = [&](Eigen::Index t) { return std::abs(solver.eigenvalues()(t)); };
  std::vector<Eigen::Index> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::ranges::greater(), size);
  std::vector<TableTerm> terms;
  for (const Eigen::Index t : order) {
    if (size(t) <= error * size(order[0])) break;
    TableTerm& term = terms.emplace_back();
    term.sign = solver.eigenvalues()(t) < 0 ? -1 : 1;
    const Eigen::VectorXd values = std::sqrt(size(t)) * solver.eigenvectors().col(t).cwiseQuotient(root);
    term.values.assign(values.begin(), values.end());
  }
  return terms;
}

}  // namespace octile::cuda
