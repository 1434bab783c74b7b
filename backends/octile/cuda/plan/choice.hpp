// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/kernels/lowering.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/primitives.hpp>
#include <octile/solvers/setup.hpp>

#include <cstddef>
#include <span>

namespace octile::cuda {

/// Whether there are native kernels for a primitive: slices; in builds with OCTILE_PAPER the products of octiles too, and
/// `tiling-blocking:8,8`.
bool is_native(const Primitive& primitive);

/// Whether the setup allows the closed form. The closed form is always in double, so it alone is native for float64
/// too. There an automatic lowering compares its price with that of the float32 products, which are the cheaper ones.
bool may_be_closed(const SolverSetup& setup);

/// Whether all edges of a graph have the same weight.
bool has_one_weight(const Graph& graph);

/// The largest weight of a graph over its smallest; 1 without edges.
double weight_spread(const Graph& graph);

/// Whether in each graph all edges have the same weight and the same record.
bool has_constant_edges(std::span<const Graph> graphs, const plan::LoweredSet& lowered);

/// Whether κv of all pairs of records is tabulated: for up to `vertex_table_limit` of them, whose tables fit a quarter of `memory`
/// bytes, beside what certifies. Otherwise it is evaluated once for each pair of graphs.
bool tabulates_vertices(const LoweredKernel& vertex, std::size_t memory);

/// Bytes of the tables for two records: 1/κv in double, and κv and 1/κv in float.
inline constexpr std::size_t vertex_table_bytes = sizeof(double) + 2 * sizeof(float);

/// The prices of the native products for a set. A factored product costs as if both graphs filled the tier of the larger one. Beyond
/// the tiers it reads T once a multiply-add. `decomposes`: this build has eigendecompositions on the device.
LoweringPrices prices_of(const SolverSetup& setup, bool decomposes);

/// The plan by these prices. Where κv is no table, or several factors do not fit the tier of the largest graph, because of too many
/// vertex ids or too different weights, factors are priced as beyond the tiers, since the product for any size then multiplies them.
plan::LoweringPlan plan_native(const SolverSetup& setup, bool decomposes);

}  // namespace octile::cuda
