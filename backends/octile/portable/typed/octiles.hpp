// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/graphs/pack_octiles.hpp>
#include <octile/kernels/runtime_kernel.hpp>
#include <octile/pairs/prices.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/plan/pairwise_solver.hpp>
#include <octile/portable/typed/lowerings.hpp>
#include <octile/portable/typed/solver.hpp>

#include <limits>
#include <type_traits>

namespace octile::portable {

template <class Scalar, class ExecutionSpace>
std::unique_ptr<PairSolver> make_octile_solver_in(const SolverSetup& setup, const plan::LoweringPlan& plan) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Runtime = RuntimeKernel<Scalar, MemorySpace>;
  constexpr bool gpu = fine_grained<ExecutionSpace>;
  constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();
  const ExecutionSpace space;
  const plan::LoweredSet& lowered = plan.lowered;

  const auto make = [&]<class EdgeLabel, class EdgeKernel>(std::type_identity<EdgeLabel>, const auto& read_edge,
                                                           const EdgeKernel& edge_kernel) {
    const std::size_t bytes = octile_bytes<Scalar, EdgeLabel>(setup.graphs);
    plan::require_memory(setup, bytes);
    auto set = pack_octiles<Scalar, std::uint32_t, EdgeLabel>(
        space, setup.graphs, setup.kernel.stopping,
        [&](std::size_t g, std::size_t v) { return lowered.vertex.ids[g][v]; }, read_edge);
    using Set = decltype(set);
    Primitive primitive = setup.primitive;
    if (primitive.family == PrimitiveFamily::automatic) {
      const auto elements = static_cast<double>(set.weights.extent(0));
      const bool thin = elements < staged_population * static_cast<double>(set.octiles.extent(0));
      primitive.family = gpu && thin ? PrimitiveFamily::rows : PrimitiveFamily::adaptive;
    }
    const std::string description =
        describe(setup, lowered, ExecutionSpace::name(), primitive.name() + ", " + plan.report, bytes);
    const auto finish = [&]<class... Xmvs>(const Tier<Xmvs>&... tiers) {
      return std::unique_ptr<PairSolver>(std::make_unique<Solver<ExecutionSpace, Set, EdgeKernel, Xmvs...>>(
          space, setup, set, RuntimeVertexKernel<MemorySpace>(space, lowered.vertex, setup.vertex_tables), edge_kernel,
          bytes, description, tiers...));
    };
    const auto tier = []<class Xmv>(const Xmv& xmv, std::size_t largest, VectorPlace place) {
      return Tier<FixedXmv<Xmv>>{{xmv}, largest, place};
    };
    constexpr AdaptiveThresholds thresholds = adaptive_thresholds(gpu, Set::has_edge_labels);
    if constexpr (gpu) {
      // A warp a pair, a team a pair, and a team a pair whose vectors do not fit on chip.
      const auto finish_tiers = [&](const auto& warp, const auto& team) {
        return finish(tier(warp, small_pair, VectorPlace::scratch),
                      tier(team, most_in_scratch<Scalar, ExecutionSpace>(team), VectorPlace::scratch),
                      tier(team, any_size, VectorPlace::workspace));
      };
      if (primitive.family == PrimitiveFamily::rows) return finish_tiers(RowsXmv(32), RowsXmv(large_team));
      return finish_tiers(OctileXmv<Scalar, EdgeLabel, 32, 1>(primitive.family, thresholds),
                          OctileXmv<Scalar, EdgeLabel, 32, large_team / 32>(primitive.family, thresholds));
    } else {
      if (primitive.family == PrimitiveFamily::rows) {
        return finish(tier(RowsXmv(1), any_size, VectorPlace::workspace));
      }
      return finish(
          tier(OctileXmv<Scalar, EdgeLabel, 1, 1>(primitive.family, thresholds), any_size, VectorPlace::workspace));
    }
  };
  // The kernel types that the XMV is compiled for. All evaluate the same formulas.
  const LoweredKernel& edge = lowered.edge;
  const auto edge_id = [&edge](std::size_t g, std::size_t e) { return edge.ids[g][e]; };
  if (lowered.constant_edges()) {
    return make(
        std::type_identity<NoLabel>(), [](std::size_t, std::size_t) { return NoLabel{}; },
        Constant(lowered.edge_constant()));
  }
  if (edge.tabulated()) {
    return make(std::type_identity<std::uint32_t>(), edge_id, TableKernel<Scalar, MemorySpace>(Runtime(space, edge)));
  }
  if (edge.square_exponential()) {
    // In double in any case: labels far from zero differ by less than float tells apart.
    const auto number = [&lowered](std::size_t g, std::size_t e) { return lowered.edge_number(g, e); };
    return make(std::type_identity<double>(), number, SquareExponential::of_rate(edge.program[0].parameter));
  }
  return make(std::type_identity<std::uint32_t>(), edge_id, Runtime(space, edge));
}

/// A solver on the default instance of `ExecutionSpace`: by the octile primitives or `rows`, by a lowering that has a
/// product of its own, or, chosen by pair, by octiles and by factors.
template <class ExecutionSpace>
std::unique_ptr<PairSolver> make_octile_solver(const SolverSetup& setup) {
  constexpr auto choice = fine_grained<ExecutionSpace> ? plan::AutomaticChoice::by_element : plan::AutomaticChoice::all;
  const plan::LoweringPlan plan = plan::choose_lowering(setup, choice, lowering_prices(setup.precision));
  const auto by_factors = [&plan](const SolverSetup& part) { return make_factored(ExecutionSpace(), part, plan); };
  const auto by_element = [&plan](const SolverSetup& part) {
    return part.precision == Precision::float32 ? make_octile_solver_in<float, ExecutionSpace>(part, plan)
                                                : make_octile_solver_in<double, ExecutionSpace>(part, plan);
  };
  if (plan.takes_factors) return plan::make_pairwise_solver(setup, plan.takes_factors, by_factors, by_element);
  switch (plan.lowering) {
    case Lowering::closed_form: return make_closed_form(HostSpaceOf<ExecutionSpace>(), setup, plan);
    case Lowering::factored: return by_factors(setup);
    default: return by_element(setup);
  }
}

}  // namespace octile::portable
