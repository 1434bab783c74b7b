// SPDX-License-Identifier: BSD-3-Clause
#include <octile/pairs/amplification.hpp>

#include <algorithm>
#include <limits>

namespace octile {
namespace {

/// The largest s_i / d_i of a set: the largest probability with which a walk goes on.
double largest_transition(std::span<const Graph> graphs, const Stopping& stopping) {
  double largest = 0;
  for (const Graph& graph : graphs) {
    const std::vector<double> sums = graph.weighted_degrees();
    const std::vector<double> degrees = stopping.degrees(sums, graph.stopping_scale());
    for (std::size_t v = 0; v < sums.size(); ++v) largest = std::max(largest, sums[v] / degrees[v]);
  }
  return largest;
}

}  // namespace

Amplification::Amplification(std::span<const Graph> graphs, const KernelSpec& kernel) {
  const double transition = largest_transition(graphs, kernel.stopping);
  const double step = transition * transition * std::min(kernel.vertex.range().highest, 1.0);
  const double remaining = 1 - step * std::min(kernel.edge.range().highest, 1.0);
  factor_ = remaining > 0 ? step / remaining : std::numeric_limits<double>::infinity();
}

double Amplification::relative_error(double kernel_error) const {
  if (kernel_error == 0) return 0;
  const double amplified = factor_ * kernel_error;
  return amplified < 1 ? amplified / (1 - amplified) : std::numeric_limits<double>::infinity();
}

double Amplification::kernel_error(double relative_error) const {
  // Without edges no walk takes a step and κe is never used.
  if (factor_ == 0) return 1;
  return relative_error / (factor_ * (1 + relative_error));
}

}  // namespace octile
