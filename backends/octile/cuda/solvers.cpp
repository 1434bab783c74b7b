// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/solvers.hpp>

#include <octile/cuda/layout/factor_lists.hpp>
#include <octile/octile.hpp>
#include <octile/plan/pairwise_solver.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace octile::cuda {
namespace {

using octile::plan::AutomaticChoice;
using octile::plan::LoweredSet;
using octile::plan::LoweringPrices;
using octile::plan::make_pairwise_solver;

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

/// Whether this build decomposes on the device.
#ifdef OCTILE_HAS_CUSOLVER
constexpr bool decomposes = true;
#else
constexpr bool decomposes = false;
#endif

bool is_constant(const Expression& kernel) { return kernel.root().kind == Expression::Kind::constant; }

/// What the native products take on an H200, in nanoseconds of the whole GPU: fitted to iterations of 48 sets of 24 to 96 vertices
/// (bench/results), whose degrees are 2 to 12, and to 160 decompositions of 96 vertices. Those of factors are of sparse products.
constexpr LoweringPrices native_prices{.vector = 5.5e-3,
                                       .constant = 3.6e-4,
                                       .table = 4.1e-4,
                                       .square_exponential = 4.9e-4,
                                       .program_step = 3e-3,
                                       .factor = 7.6e-5,
                                       .factor_turned = 4.1e-4,
                                       .element_walked = 6.4e-5,
                                       .row_walked = 1e-4,
                                       .sparse_term = 1,
                                       .eigenvalue_pair = 4.5e-3,
                                       .decomposition = decomposes ? 1.4e-2 : HUGE_VAL};

/// An iteration of a pair by a dense product, whatever its graphs have of vertices and edges within the tier.
struct DensePrice {
  double alike;   ///< by one factor that is alike for all edges of a graph
  double first;   ///< by several, and
  double factor;  ///< each of them
};
constexpr std::array<DensePrice, factored_sizes.size()> dense_prices{{{.alike = 6.8, .first = 6.8, .factor = 1.9},
                                                                      {.alike = 14, .first = 33, .factor = 5.4},
                                                                      {.alike = 52, .first = 91, .factor = 16}}};

/// The same for a set of graphs: a factored product takes a pair as large as the tier that its larger graph falls into, and one
/// beyond the tiers by a product that reads T once a multiply-add.
LoweringPrices prices_of(const SolverSetup& setup) {
  LoweringPrices prices = native_prices;
  std::array<double, factored_sizes.size()> graphs{};
  double vertices = 0;
  for (const Graph& graph : setup.graphs) {
    const auto* const tier = std::ranges::lower_bound(factored_sizes, static_cast<std::size_t>(graph.vertex_count()));
    if (tier == factored_sizes.end()) {
      prices.factor = 2.6e-4;
      prices.factor_turned = 5.3e-4;
      prices.element_walked = 0;
      prices.row_walked = 8.4e-4;
      return prices;
    }
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
    dense.alike += pairs * dense_prices[tier].alike;
    dense.first += pairs * dense_prices[tier].first;
    dense.factor += pairs * dense_prices[tier].factor;
    below = to_here;
  }
  const double whole = vertices * vertices;
  if (whole == 0) return prices;
  const bool constant = is_constant(setup.kernel.edge);
  const bool alike = constant && std::ranges::all_of(setup.graphs, has_one_weight);
  if (alike || !constant) {
    prices.factor = 0;
    prices.element_walked = 0;
    prices.factor_turned = (alike ? dense.alike : dense.factor) / whole;
    prices.row_walked = (alike ? 0 : dense.first) / whole - prices.vector;
    return prices;
  }
  const double filled = padded / whole;
  prices.row_walked = prices.row_walked * filled + prices.vector * (filled - 1);
  prices.element_walked *= filled;
  prices.factor *= filled;
  prices.factor_turned *= filled;
  return prices;
}

/// Whether the closed form may be what is asked for. It alone is native in float64 too, since it is in double; unasked it is
/// weighed against float32's products there, which are the cheaper ones.
bool may_be_closed(const SolverSetup& setup) {
  return setup.lowering == Lowering::closed_form ||
         (setup.lowering == Lowering::automatic && is_constant(setup.kernel.vertex) && is_constant(setup.kernel.edge));
}

std::unique_ptr<PairSolver> make_closed_form(const SolverSetup& setup, const LoweringPlan& plan) {
  if constexpr (decomposes) {
    const auto fits = [](const Graph& graph) { return graph.vertex_count() <= closed_form_limit; };
    if (std::ranges::all_of(setup.graphs, fits)) return make_closed_form_solver(setup, plan);
  }
  return {};
}

/// The native products of elements for the set's edge kernel; none where there are none.
std::unique_ptr<PairSolver> make_by_element(const SolverSetup& setup, const LoweringPlan& plan) {
  const LoweredSet& lowered = plan.lowered;
  if (lowered.constant_edges()) return make_constant_solver(setup, plan);
  if (lowered.edge.delta() && setup.lowering != Lowering::table) return make_delta_solver(setup, plan);
  if (lowered.edge.tabulated()) return make_table_solver(setup, plan);
  if (lowered.edge.square_exponential()) return make_square_exponential_solver(setup, plan);
  return {};
}

}  // namespace

std::unique_ptr<PairSolver> make_native(const SolverSetup& setup) {
  const bool iterates = setup.precision == Precision::float32;
  if (!is_native(setup.primitive) || (!iterates && !may_be_closed(setup))) return {};
  const LoweringPlan plan = choose_lowering(setup, AutomaticChoice::native, prices_of(setup));
  if (plan.lowering == Lowering::closed_form) return make_closed_form(setup, plan);
  if (!iterates) return {};
  const LoweredSet& lowered = plan.lowered;
  if (!lowered.vertex.constant() && !lowered.vertex.tabulated()) return {};
  const auto by_factors = [&plan](const SolverSetup& part) { return make_factored_solver(part, plan); };
  const auto by_element = [&plan](const SolverSetup& part) { return make_by_element(part, plan); };
  // Sparse factors are not chosen here, but may be asked for.
  if (plan.takes_factors) return make_pairwise_solver(setup, plan.takes_factors, by_factors, by_element);
  if (plan.lowering != Lowering::factored) return by_element(setup);
  return plan.factors->sparse() ? std::unique_ptr<PairSolver>() : by_factors(setup);
}

}  // namespace octile::cuda
