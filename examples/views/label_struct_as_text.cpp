// SPDX-License-Identifier: BSD-3-Clause
#include "label_struct.hpp"

#include <octile/expression.hpp>
#include <octile/solve_graphs.hpp>

void solve_as_text(const Space& space, octile::SolveHandle<Space>& handle, const PreparedRings& rings,
                   const octile::Stopping& stopping, const Kokkos::View<double**, Memory>& values) {
  const octile::TypedKernel kernel{octile::Expression::parse("delta(element,0.3)"),
                                   octile::Expression::parse("delta(order,0.5)*gaussian(length,0.2)"), stopping};
  octile::solve(space, handle, rings, octile::Symmetric(), kernel, octile::Outputs{values});
}
