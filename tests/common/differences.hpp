// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/parameters.hpp>
#include <octile/problem.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace octile::test {

/// Derivatives of some numbers of a kernel by its parameter `t`: central differences of fourth order, with steps of a thousandth of
/// the parameter. `numbers_of(kernel)` gives the numbers.
template <class NumbersOf>
std::vector<double> central_differences(const KernelSpec& kernel, std::size_t t, const NumbersOf& numbers_of) {
  const std::vector<Parameter> of_kernel = parameters(kernel);
  std::vector<double> values(of_kernel.size());
  std::ranges::transform(of_kernel, values.begin(), &Parameter::value);
  const double step = 1e-3 * values[t];
  const auto shifted = [&](double by) {
    std::vector<double> moved = values;
    moved[t] += by;
    return numbers_of(with_parameters(kernel, moved));
  };
  const std::vector<double> near_above = shifted(step);
  const std::vector<double> near_below = shifted(-step);
  const std::vector<double> far_above = shifted(2 * step);
  const std::vector<double> far_below = shifted(-2 * step);
  std::vector<double> differences(near_above.size());
  for (std::size_t k = 0; k < differences.size(); ++k) {
    differences[k] = (8 * (near_above[k] - near_below[k]) - (far_above[k] - far_below[k])) / (12 * step);
  }
  return differences;
}

/// A kernel as a failed check shows it.
inline std::string text_of(const KernelSpec& kernel) {
  return kernel.vertex.text() + " | " + kernel.edge.text() + " | " + kernel.stopping.to_string() + " | lmin " +
         std::to_string(kernel.shortest_walk);
}

}  // namespace octile::test
