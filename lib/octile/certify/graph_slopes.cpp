// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/exact_set.hpp>

#include <cstddef>
#include <vector>

namespace octile {

void ExactSet::add_graph_slopes(Pair pair, std::span<const double> x, std::span<const double> y, std::int32_t slot,
                                const GraphSlopes& first, const GraphSlopes& second) const {
  const Part one = part(pair.first);
  const Part two = part(pair.second);
  std::vector<double> of_degrees(static_cast<std::size_t>(one.n), 0.0);
  std::vector<double> of_degrees_second(static_cast<std::size_t>(two.n), 0.0);
  std::vector<double> product(x.size(), 0.0);
  add_edge_slopes(one, two, x, y, slot, product, first, second);
  add_vertex_slopes(one, two, x, y, product, of_degrees, of_degrees_second, first, second);
  // d_i = (Σ_j A_ij) + q, or (Σ_j A_ij) / (1 − q). K does not depend on the d of an isolated vertex, which has no edge.
  const double by_weight = stopping_.meaning() == StoppingMeaning::probability ? 1 / (1 - stopping_.q()) : 1;
  const auto add = [&](const Part& its, std::span<const double> by_degree, const GraphSlopes& slopes) {
    for (std::size_t e = 0; e < its.edges.size(); ++e) {
      const auto [i, j] = graphs_.ends[its.first_edge + e];
      slopes.edge_weights[e] +=
          by_weight * (by_degree[static_cast<std::size_t>(i)] + by_degree[static_cast<std::size_t>(j)]);
    }
  };
  add(one, of_degrees, first);
  add(two, of_degrees_second, second);
}

// As M x = b + N x, q² − x / κv is −N x / (d d'), and x − q² κv is κv N x / (d d'): nothing cancels.
void ExactSet::add_vertex_slopes(const Part& first, const Part& second, std::span<const double> x,
                                 std::span<const double> y, std::span<const double> product,
                                 std::span<double> of_degrees, std::span<double> of_degrees_second,
                                 const GraphSlopes& slopes, const GraphSlopes& slopes_second) const {
  const auto n = static_cast<std::size_t>(first.n);
  const auto m = static_cast<std::size_t>(second.n);
  std::vector<double> kappa(m);
  for (std::size_t i = 0; i < n; ++i) {
    vertex_.values(first.vertices[i], second.vertices, kappa.data());
    const double d = graphs_.degrees[first.first + i];
    const double p = graphs_.starting[first.first + i];
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t at = i * m + k;
      of_degrees[i] -= y[at] * product[at] / d;
      of_degrees_second[k] -= y[at] * product[at] / graphs_.degrees[second.first + k];
      const double walked =
          shortest_walk_ == 1 ? kappa[k] * (product[at] / (d * graphs_.degrees[second.first + k])) : x[at];
      slopes.starting[i] += walked * graphs_.starting[second.first + k];
      slopes_second.starting[k] += walked * p;
    }
  }
}

void ExactSet::add_edge_slopes(const Part& first, const Part& second, std::span<const double> x,
                               std::span<const double> y, std::int32_t slot, std::span<double> product,
                               const GraphSlopes& slopes, const GraphSlopes& slopes_second) const {
  const auto m = static_cast<std::size_t>(second.n);
  const ExactGraphs::Ends* const ends = graphs_.ends.data() + second.first_edge;
  const double* const weights = graphs_.weights.data() + second.first_edge;
  std::vector<double> kappa(second.edges.size());
  for (std::size_t e = 0; e < first.edges.size(); ++e) {
    const auto [i, j] = graphs_.ends[first.first_edge + e];
    const double weight = graphs_.weights[first.first_edge + e];
    const std::size_t row_i = static_cast<std::size_t>(i) * m;
    const std::size_t row_j = static_cast<std::size_t>(j) * m;
    edge_.values(first.edges[e], second.edges, kappa.data());
    for (std::size_t f = 0; f < second.edges.size(); ++f) {
      const auto k = static_cast<std::size_t>(ends[f].i);
      const auto l = static_cast<std::size_t>(ends[f].j);
      const double moment = y[row_i + k] * x[row_j + l] + y[row_j + l] * x[row_i + k] + y[row_i + l] * x[row_j + k] +
                            y[row_j + k] * x[row_i + l];
      const double c = weight * weights[f] * kappa[f];
      product[row_i + k] += c * x[row_j + l];
      product[row_j + l] += c * x[row_i + k];
      product[row_i + l] += c * x[row_j + k];
      product[row_j + k] += c * x[row_i + l];
      slopes.edge_weights[e] += weights[f] * kappa[f] * moment;
      slopes_second.edge_weights[f] += weight * kappa[f] * moment;
      if (slopes.edge_numbers.empty()) continue;
      const double both = weight * weights[f] * moment;
      slopes.edge_numbers[e] += both * edge_.by_label(slot, first.edges[e], second.edges[f]);
      slopes_second.edge_numbers[f] += both * edge_.by_label(slot, second.edges[f], first.edges[e]);
    }
  }
}

}  // namespace octile
