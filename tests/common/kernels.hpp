// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <octile/gram.hpp>
#include <octile/graph.hpp>

namespace octile::test {

/// A base kernel as plain C++: κ between vertex (or edge) k of one graph and l of another.
using BaseKernel = std::function<double(const Graph&, std::size_t k, const Graph&, std::size_t l)>;

/// κv and κe in two forms: as expressions for the library, and as hand-written C++ for the labels of
/// `labelled()`. The second form checks the first, and the reference backend too.
struct KernelCase {
  std::string name;
  std::string vertex;
  std::string edge;
  BaseKernel kappa_v;
  BaseKernel kappa_e;
  bool rough = false;  ///< κe is too rough for few factors at the tolerances of the tests

  KernelSpec spec(const Stopping& stopping) const {
    return {Expression::parse(vertex), Expression::parse(edge), stopping};
  }
};

/// Some of every kind: 1, every leaf kernel, wendland k = 0 … 3, products, sums, convolutions, kernels of
/// lists, powers, what is normalised.
std::vector<KernelCase> kernel_cases();

/// κv = κe = 1.
KernelCase unlabelled();

/// q in both meanings at 0.5, 0.05 and 0.0005.
std::vector<Stopping> stoppings();

}  // namespace octile::test
