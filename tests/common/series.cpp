// SPDX-License-Identifier: BSD-3-Clause
#include "common/series.hpp"

#include <algorithm>
#include <cmath>

namespace octile::test {
namespace {

/// One direction of an edge: from i to j, edge number k.
struct Step {
  std::size_t i;
  std::size_t j;
  std::size_t edge;
  long double weight;
};

std::vector<Step> steps_of(const Graph& graph) {
  std::vector<Step> steps;
  for (std::size_t k = 0; k < graph.edge_count(); ++k) {
    const Edge& edge = graph.edges()[k];
    const auto i = static_cast<std::size_t>(edge.i);
    const auto j = static_cast<std::size_t>(edge.j);
    steps.push_back({i, j, k, edge.weight});
    steps.push_back({j, i, k, edge.weight});
  }
  return steps;
}

std::vector<long double> degrees_of(const Graph& graph, const Stopping& stopping) {
  std::vector<long double> degrees(static_cast<std::size_t>(graph.vertex_count()), 0.0L);
  for (const Step& step : steps_of(graph)) degrees[step.i] += step.weight;
  const long double q = stopping.q();
  for (long double& d : degrees) {
    if (stopping.meaning() == StoppingMeaning::weight) {
      d += q;
    } else {
      d = d == 0 ? 1 : d / (1 - q);
    }
  }
  return degrees;
}

/// One term A_ij A'_i'j' κe of the product graph, from ii' to jj'.
struct ProductStep {
  std::size_t from;
  std::size_t to;
  long double weight;
};

/// The product graph: its size, D×, V× and steps.
struct Product {
  std::size_t m;
  std::vector<long double> d;
  std::vector<long double> v;
  std::vector<ProductStep> steps;

  Product(const Graph& first, const Graph& second, const KernelCase& kernel, const Stopping& stopping)
      : m(static_cast<std::size_t>(second.vertex_count())) {
    const std::vector<long double> d_first = degrees_of(first, stopping);
    const std::vector<long double> d_second = degrees_of(second, stopping);
    for (std::size_t i = 0; i < d_first.size(); ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        d.push_back(d_first[i] * d_second[k]);
        v.push_back(kernel.kappa_v(first, i, second, k));
      }
    }
    const std::vector<Step> of_second = steps_of(second);
    for (const Step& a : steps_of(first)) {
      for (const Step& b : of_second) {
        const long double kappa = kernel.kappa_e(first, a.edge, second, b.edge);
        if (kappa != 0) steps.push_back({a.i * m + b.i, a.j * m + b.j, a.weight * b.weight * kappa});
      }
    }
  }
};

}  // namespace

SeriesResult random_walk_series(const Graph& first, const Graph& second, const KernelCase& kernel,
                                const Stopping& stopping) {
  const Product product(first, second, kernel, stopping);
  const std::size_t size = product.d.size();
  const long double q = static_cast<long double>(stopping.q()) * stopping.q();

  // `term` is what walks of length ℓ add. All terms are positive, so nothing cancels.
  std::vector<long double> term(size, q);
  std::vector<long double> r = term;
  std::vector<long double> next(size);
  for (bool moving = true; moving;) {
    std::fill(next.begin(), next.end(), 0.0L);
    for (const ProductStep& step : product.steps) {
      next[step.from] += step.weight / product.d[step.from] * product.v[step.to] * term[step.to];
    }
    moving = false;
    for (std::size_t k = 0; k < size; ++k) {
      r[k] += next[k];
      moving = moving || next[k] > 1e-18L * r[k];
    }
    term.swap(next);
  }

  SeriesResult result;
  long double value = 0;
  for (std::size_t k = 0; k < size; ++k) {
    result.nodewise.push_back(static_cast<double>(product.v[k] * r[k]));
    value += static_cast<long double>(first.starting_probability()[k / product.m]) *
             second.starting_probability()[k % product.m] * product.v[k] * r[k];
  }
  result.value = static_cast<double>(value);
  return result;
}

double relative_residual(const Graph& first, const Graph& second, const KernelCase& kernel, const Stopping& stopping,
                         std::span<const double> x) {
  const Product product(first, second, kernel, stopping);
  const long double q = static_cast<long double>(stopping.q()) * stopping.q();
  std::vector<long double> r(product.d.size());
  for (std::size_t k = 0; k < r.size(); ++k) r[k] = product.d[k] * q - product.d[k] / product.v[k] * x[k];
  for (const ProductStep& step : product.steps) r[step.from] += step.weight * x[step.to];
  long double worst = 0;
  for (std::size_t k = 0; k < r.size(); ++k) worst = std::max(worst, std::abs(r[k]) / (product.d[k] * q));
  return static_cast<double>(worst);
}

}  // namespace octile::test
