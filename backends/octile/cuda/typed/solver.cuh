// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/plan/choice.hpp>
#include <octile/cuda/plan/octile_choice.hpp>
#include <octile/cuda/run/solver.cuh>
#include <octile/cuda/typed/edge_kernels.cuh>
#include <octile/cuda/typed/set.cuh>
#ifdef OCTILE_PAPER
#include <octile/cuda/paper/kernels.cuh>
#endif
#include <octile/pairs/prices.hpp>
#include <octile/plan/lowering_plan.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace octile::cuda {

/// Which octiles are taken as dense for a primitive, and by which steps.
inline OctileChoice octile_choice(const Primitive& primitive, bool labelled) {
  const bool whole = primitive.family == PrimitiveFamily::tiling_blocking;
  return {whole ? PrimitiveFamily::dense_dense : primitive.family, native_thresholds(labelled), primitive.steps};
}

/// The native solver by a kind of product. `read_edge(g, e)` gives the stored label of edge e of graph g.
template <Product Kind, class EdgeLabel, class EdgeKernel, class ReadEdge>
std::unique_ptr<PairSolver> make_typed_solver(const SolverSetup& setup, const LoweringPlan& plan,
                                              const EdgeKernel& edge_kernel, const Layout& layout,
                                              const std::string& method, const ReadEdge& read_edge) {
  SetBuilder<Kind, std::uint32_t, EdgeLabel> builder(layout);
  builder.add_all(
      setup.graphs, setup.kernel.stopping,
      [&plan](std::size_t g, std::size_t v) { return plan.lowered.vertex.ids[g][v]; }, read_edge);
  octile::plan::require_memory(setup, builder.bytes());
  const OctileChoice choice = octile_choice(setup.primitive, !std::is_same_v<EdgeLabel, NoLabel>);
  return make_solver(setup, plan, method, set_on_host(std::move(builder), VertexTable{}, edge_kernel, choice));
}

/// A solver by slices, or by the product of octiles that the setup's primitive names.
template <class EdgeLabel, class EdgeKernel, class ReadEdge>
std::unique_ptr<PairSolver> make_by_primitive(const SolverSetup& setup, const LoweringPlan& plan,
                                              const EdgeKernel& edge_kernel, const ReadEdge& read_edge) {
  const Primitive& primitive = setup.primitive;
  if (primitive.family == PrimitiveFamily::automatic || primitive.family == PrimitiveFamily::slices) {
    return make_typed_solver<Product::slices, EdgeLabel>(setup, plan, edge_kernel, Layout{},
                                                         "primitive slices, " + plan.report, read_edge);
  }
#ifdef OCTILE_PAPER
  // The experiment takes κv by tables alone.
  if (!tabulates_vertices(plan.lowered.vertex, setup.memory)) return {};
  Layout layout;
  layout.empty_too = primitive.family == PrimitiveFamily::tiling_blocking;
  layout.expanded = !primitive.steps.compact;
  return make_typed_solver<Product::octiles, EdgeLabel>(
      setup, plan, edge_kernel, layout, "primitive " + primitive.name() + ", " + plan.report, read_edge);
#else
  return {};  // `is_native` names no other
#endif
}

}  // namespace octile::cuda
