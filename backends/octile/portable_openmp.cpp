// SPDX-License-Identifier: BSD-3-Clause
#include <octile/portable_solver.hpp>
#include <octile/portable_spaces.hpp>

namespace octile::portable {

std::unique_ptr<PairSolver> make_openmp(std::span<const Graph> graphs, const KernelSpec& spec, Precision precision,
                                        const SolveOptions& options) {
  return make_solver<Kokkos::OpenMP>(graphs, spec, precision, options);
}

}  // namespace octile::portable
