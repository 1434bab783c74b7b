// SPDX-License-Identifier: BSD-3-Clause
#include <octile/certify/exact_set.hpp>

#include <octile/pairs/one_thread.hpp>
#include <octile/pairs/vector_steps.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace octile {
namespace {

/// ‖M⁻¹s‖ of the solution Y beside ‖M⁻¹w‖: far below what derivatives are asked for to.
constexpr double node_tolerance = 1e-10;

// What the steps call is marked for host and device, as they are: nvcc takes no function of the host alone there.

/// Reads a vector by index.
struct EntryOf {
  const double* values;
  KOKKOS_FUNCTION double operator()(int k) const { return values[k]; }
};

/// Calls a function of the host.
template <class Function>
struct OnHost {
  Function function;
  KOKKOS_FUNCTION void operator()() const { KOKKOS_IF_ON_HOST((function();)) }
};
template <class Function>
OnHost(Function) -> OnHost<Function>;

}  // namespace

// F = wᵀ x gives ∂F = Yᵀ (∂b − ∂S x) with S Y = w. With a shortest walk of 1, F = wᵀ (x − q² κv). Entries of Y have any sign.
double ExactSet::node_slopes(Pair pair, std::span<double> x, std::span<const double> node_weights,
                             EvaluationSpace& space, std::span<double> gradient) const {
  std::ranges::fill(gradient, 0.0);
  // Y and the derivatives are proportional to w, which may be of any size: they are formed with the largest |w| near 1.
  double largest = 0;
  for (const double weight : node_weights) largest = std::max(largest, std::abs(weight));
  if (largest == 0) return 0;
  const int exponent = std::ilogb(largest);
  std::vector<double> weights(node_weights.size());
  double all = 0;  // Σ |w| x
  for (std::size_t k = 0; k < x.size(); ++k) {
    weights[k] = std::scalbn(node_weights[k], -exponent);
    all += std::abs(weights[k]) * x[k];
  }
  if (all == 0) return 0;
  const Part first = part(pair.first);
  const Part second = part(pair.second);
  const auto size = static_cast<int>(x.size());
  const auto m = static_cast<std::size_t>(second.n);

  std::vector<double> memory(5 * x.size());
  const auto vector = [&](std::size_t k) { return memory.data() + k * x.size(); };
  CgVectors<double> vectors{vector(0), vector(1), vector(2), vector(3), vector(4)};
  for (std::size_t i = 0; i < first.vertices.size(); ++i) {
    vertex_.values(first.vertices[i], second.vertices, space.kappa_.data());
    for (std::size_t k = 0; k < m; ++k) {
      const double degrees = graphs_.degrees[first.first + i] * graphs_.degrees[second.first + k];
      vectors.diagonal[i * m + k] = degrees / space.kappa_[k];
    }
  }
  SolveOptions options;
  options.tolerance = node_tolerance;
  const Trial trial{{vectors.p, x.size()}};
  const PairResult solved =
      conjugate_gradient(OneThread{}, OnHost{[&] {
                           std::ranges::fill(space.product_x_, 0.0);
                           walk<false, false>(first, second, trial, space, {});
                           std::ranges::copy(space.product_x_, vectors.a);
                         }},
                         EntryOf{vectors.diagonal}, EntryOf{weights.data()}, size, vectors, options, options.tolerance);
  if (solved.status == Status::breakdown) return std::numeric_limits<double>::infinity();

  const Trial both{x, {vectors.x, x.size()}};
  std::ranges::fill(space.product_x_, 0.0);
  space.product_y_.assign(x.size(), 0.0);
  walk<true, true>(first, second, both, space, gradient.subspan(vertex_.parameter_count(), edge_.parameter_count()));
  add_row_slopes(first, second, both, weights, space, gradient);
  for (double& slope : gradient) slope = std::scalbn(slope, exponent);

  // What the derivatives are off by, about, as `error_of_slopes` has it for K.
  const double square = stopping_.q() * stopping_.q();
  double left_x = 0;
  double left_y = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double degrees = graphs_.degrees[first.first + k / m] * graphs_.degrees[second.first + k % m];
    const double r = square * degrees - vectors.diagonal[k] * x[k] + space.product_x_[k];
    const double s = weights[k] - vectors.diagonal[k] * vectors.x[k] + space.product_y_[k];
    left_x += std::abs(r * vectors.x[k]);
    left_y += std::abs(s) * x[k];
  }
  const double error = larger(left_x, left_y) / all;
  return error >= 0 ? error : std::numeric_limits<double>::infinity();
}

}  // namespace octile
