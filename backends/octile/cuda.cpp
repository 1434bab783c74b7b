// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda.hpp>

#include <octile/portable_spaces.hpp>

namespace octile::cuda {
namespace {

/// What is not specialised here: the portable backend on the GPU.
std::unique_ptr<PairSolver> make_portable(SolverSetup setup) {
  Primitive& primitive = setup.primitive;
  if (primitive.family == PrimitiveFamily::slices) primitive = {};
  const bool dense = primitive.family != PrimitiveFamily::automatic && primitive_info(primitive.family).dense;
  return dense ? portable::make_dense_cuda(setup) : portable::make_octile_cuda(setup);
}

}  // namespace

std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup) {
  const PrimitiveFamily family = setup.primitive.family;
  const bool slices = family == PrimitiveFamily::automatic || family == PrimitiveFamily::slices;
  if (!slices || setup.precision == Precision::float64) return make_portable(setup);
  const LoweredSet lowered(setup);
  if (!lowered.vertex.constant() && !lowered.vertex.tabulated()) return make_portable(setup);
  if (lowered.constant_edges()) return make_constant_solver(setup, lowered);
  if (lowered.edge.delta()) return make_delta_solver(setup, lowered);
  if (lowered.edge.tabulated()) return make_table_solver(setup, lowered);
  if (lowered.edge.square_exponential()) return make_square_exponential_solver(setup, lowered);
  return make_portable(setup);
}

}  // namespace octile::cuda
