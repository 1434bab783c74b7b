// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/plan/costs.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/primitives.hpp>
#include <octile/solver_setup.hpp>

#include <span>

namespace octile::cuda {

/// Whether there are native kernels for a primitive: slices, the products of octiles, and of the dense ones the paper's choice.
bool is_native(const Primitive& primitive);

/// Whether the closed form may be what is asked for. It alone is native in float64 too, since it is in double; where the lowering is
/// automatic it is weighed against float32's products there, which are the cheaper ones.
bool may_be_closed(const SolverSetup& setup);

/// Whether all edges of a graph weigh the same.
bool has_one_weight(const Graph& graph);

/// The largest weight of a graph over its smallest; 1 without edges.
double weight_spread(const Graph& graph);

/// Whether all edges of a graph have one weight and one record, in each graph.
bool has_constant_edges(std::span<const Graph> graphs, const plan::LoweredSet& lowered);

/// What the native products cost for a set: a factored product takes a pair as large as the tier that its larger graph falls into,
/// and one beyond the tiers by a product that reads T once a multiply-add. `decomposes`: this build has decompositions on the device.
plan::LoweringPrices prices_of(const SolverSetup& setup, bool decomposes);

/// The plan by these prices. Several factors of more vertex ids than the tier of the largest graph has room for beside its matrices
/// are priced as beyond the tiers, since they are multiplied so.
plan::LoweringPlan plan_native(const SolverSetup& setup, bool decomposes);

}  // namespace octile::cuda
