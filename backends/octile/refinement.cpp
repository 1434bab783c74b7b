// SPDX-License-Identifier: BSD-3-Clause
#include <octile/refinement.hpp>

#include <octile/backends.hpp>
#include <octile/lowerings.hpp>

namespace octile {

std::optional<Lowering> finer_lowering(const PairSolver& solver, const GramOptions& options) {
  if (!options.refine) return {};
  if (solver.precision() == Precision::float32) return options.lowering;
  // An automatically chosen closed form, whose error bound exceeds the tolerance.
  if (!solver.iterates() && options.lowering == Lowering::automatic) return Lowering::on_the_fly;
  return {};
}

std::unique_ptr<PairSolver> make_finer_solver(std::span<const Graph> graphs, const KernelSpec& kernel,
                                              const GramOptions& options, Lowering lowering, const CostModel& cost) {
  const bool same = find_backend(options.backend).has(options.primitive, Precision::float64);
  return make_pair_solver(options.backend, graphs, kernel, Precision::float64, options.solve,
                          same ? options.primitive : Primitive{}, options.memory, lowering, &cost);
}

}  // namespace octile
