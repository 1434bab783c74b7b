// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda.hpp>

#include <octile/octile.hpp>
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

/// Slices, the products of octiles, and of the dense ones the paper's choice.
bool is_native(const Primitive& primitive) {
  switch (primitive.family) {
    case PrimitiveFamily::automatic:
    case PrimitiveFamily::slices:
    case PrimitiveFamily::dense_dense:
    case PrimitiveFamily::dense_sparse:
    case PrimitiveFamily::sparse_sparse:
    case PrimitiveFamily::adaptive: return true;
    case PrimitiveFamily::tiling_blocking: return primitive.t == octile_size && primitive.r == octile_size;
    default: return false;
  }
}

}  // namespace

std::unique_ptr<PairSolver> make_solver(const SolverSetup& setup) {
  if (!is_native(setup.primitive) || setup.precision == Precision::float64) return make_portable(setup);
  const LoweredSet lowered(setup);
  if (!lowered.vertex.constant() && !lowered.vertex.tabulated()) return make_portable(setup);
  if (lowered.constant_edges()) return make_constant_solver(setup, lowered);
  if (lowered.edge.delta()) return make_delta_solver(setup, lowered);
  if (lowered.edge.tabulated()) return make_table_solver(setup, lowered);
  if (lowered.edge.square_exponential()) return make_square_exponential_solver(setup, lowered);
  return make_portable(setup);
}

}  // namespace octile::cuda
