// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/plan/choice.hpp>

#include <octile/cuda/plan/tiers.hpp>
#include <octile/graphs/octile.hpp>
#include <octile/kernels/simplified.hpp>
#include <octile/pairs/prices.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile::cuda {

using octile::plan::AutomaticChoice;
using octile::plan::LoweredSet;
using octile::plan::LoweringPlan;

namespace {

/// Whether the products of the paper's experiment are in this build.
#ifdef OCTILE_PAPER
constexpr bool has_paper = true;
#else
constexpr bool has_paper = false;
#endif

bool is_constant(const Expression& kernel) { return simplified(kernel).kind == Expression::Kind::constant; }

static_assert(dense_prices.size() == factored_sizes.size());

/// Whether the tier of several factors for graphs of `vertices` vertices has shared memory for the shares of `ids` vertex ids.
bool has_room_for_ids(std::size_t vertices, std::size_t ids) {
  constexpr auto tiers = factored_tiers<3, false>();
  const auto* const tier = std::ranges::find_if(tiers, [&](const Tier& one) { return vertices <= one.rows; });
  return tier->solve_bytes + shared_piece(tier->id_bytes * ids) + tier->product.bytes({}) <= hopper_shared_memory;
}

}  // namespace

bool is_native(const Primitive& primitive) {
  switch (primitive.family) {
    case PrimitiveFamily::automatic:
    case PrimitiveFamily::slices: return true;
    case PrimitiveFamily::dense_dense:
    case PrimitiveFamily::dense_sparse:
    case PrimitiveFamily::sparse_sparse:
    case PrimitiveFamily::adaptive: return has_paper;
    case PrimitiveFamily::tiling_blocking: return has_paper && primitive.t == octile_size && primitive.r == octile_size;
    default: return false;
  }
}

bool may_be_closed(const SolverSetup& setup) {
  return setup.lowering == Lowering::closed_form ||
         (setup.lowering == Lowering::automatic && is_constant(setup.kernel.vertex) && is_constant(setup.kernel.edge));
}

bool tabulates_vertices(const LoweredKernel& vertex, std::size_t memory) {
  const std::size_t ids = vertex.table_ids();
  return ids <= vertex_table_limit && ids * ids * vertex_table_bytes <= memory / 4;
}

bool has_one_weight(const Graph& graph) {
  const auto unlike = [](const Edge& one, const Edge& other) { return one.weight != other.weight; };
  return std::ranges::adjacent_find(graph.edges(), unlike) == graph.edges().end();
}

double weight_spread(const Graph& graph) {
  if (graph.edges().empty()) return 1;
  const auto [least, most] = std::ranges::minmax_element(graph.edges(), {}, &Edge::weight);
  return most->weight / least->weight;
}

bool has_constant_edges(std::span<const Graph> graphs, const LoweredSet& lowered) {
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::vector<std::uint32_t>& records = lowered.edge.ids[g];
    for (std::size_t e = 1; e < graphs[g].edge_count(); ++e) {
      if (records[e] != records[0]) return false;
    }
  }
  return std::ranges::all_of(graphs, has_one_weight);
}

LoweringPrices prices_of(const SolverSetup& setup, bool decomposes) {
  LoweringPrices prices = native_prices;
  if (!decomposes) prices.decomposition = HUGE_VAL;
  std::array<double, factored_sizes.size()> graphs{};
  double vertices = 0;
  for (const Graph& graph : setup.graphs) {
    const auto* const tier = std::ranges::lower_bound(factored_sizes, static_cast<std::size_t>(graph.vertex_count()));
    if (tier == factored_sizes.end()) return beyond_tiers(prices);
    ++graphs[static_cast<std::size_t>(tier - factored_sizes.begin())];
    vertices += graph.vertex_count();
  }
  double padded = 0;
  DensePrice dense{};
  double below = 0;
  for (std::size_t tier = 0; tier < graphs.size(); ++tier) {
    const double to_here = below + graphs[tier];
    const double pairs = to_here * to_here - below * below;
    padded += pairs * static_cast<double>(factored_sizes[tier] * factored_sizes[tier]);
    dense.constant += pairs * dense_prices[tier].constant;
    dense.first += pairs * dense_prices[tier].first;
    dense.factor += pairs * dense_prices[tier].factor;
    below = to_here;
  }
  const double whole = vertices * vertices;
  if (whole == 0) return prices;
  const bool constant_kernel = is_constant(setup.kernel.edge);
  const bool constant_weights = constant_kernel && std::ranges::all_of(setup.graphs, has_one_weight);
  if (constant_weights || !constant_kernel) {
    prices.factor = 0;
    prices.element_walked = 0;
    prices.factor_transposed = (constant_weights ? dense.constant : dense.factor) / whole;
    prices.row_walked = (constant_weights ? 0 : dense.first) / whole - prices.vector;
    return prices;
  }
  const double filled = padded / whole;
  prices.row_walked = prices.row_walked * filled + prices.vector * (filled - 1);
  prices.element_walked *= filled;
  prices.factor *= filled;
  prices.factor_transposed *= filled;
  return prices;
}

LoweringPlan plan_native(const SolverSetup& setup, bool decomposes) {
  const LoweringPrices prices = prices_of(setup, decomposes);
  LoweringPlan plan = choose_lowering(setup, AutomaticChoice::native, prices);
  const bool multiplied = plan.factors && !plan.factors->sparse();
  if (!multiplied || setup.lowering != Lowering::automatic) return plan;
  if (!tabulates_vertices(plan.lowered.vertex, setup.memory)) {
    return choose_lowering(setup, AutomaticChoice::native, beyond_tiers(prices));
  }
  if (plan.factors->rank == 1) return plan;
  std::size_t largest = 0;
  bool in_halves = true;
  for (const Graph& graph : setup.graphs) {
    largest = std::max(largest, static_cast<std::size_t>(graph.vertex_count()));
    in_halves = in_halves && weight_spread(graph) <= most_spread_in_halves;
  }
  if (largest > factored_sizes.back()) return plan;
  const std::size_t ids = plan.lowered.vertex.table_ids();
  if (in_halves && has_room_for_ids(largest, ids)) return plan;
  return choose_lowering(setup, AutomaticChoice::native, beyond_tiers(prices));
}

}  // namespace octile::cuda
