// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base_kernels.hpp>
#include <octile/plan/lowering_plan.hpp>
#include <octile/plan/truncated.hpp>
#include <octile/portable/typed/lowerings.hpp>
#include <octile/portable/typed/pack_factored.hpp>
#include <octile/portable/typed/solver.hpp>
#include <octile/portable/xmv/factored.hpp>
#include <octile/portable/xmv/factored_set.hpp>

#include <limits>
#include <utility>

namespace octile::portable {

template <class Scalar, class ExecutionSpace>
std::unique_ptr<PairSolver> make_factored_in(const ExecutionSpace& space, const SolverSetup& setup,
                                             const plan::LoweringPlan& plan) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Set = FactoredSet<Scalar, MemorySpace>;
  constexpr bool gpu = fine_grained<ExecutionSpace>;
  const Factors& factors = *plan.factors;
  const auto padded = static_cast<std::size_t>(padded_factors(static_cast<int>(factors.terms)));
  const std::size_t terms = gpu || factors.sparse() ? factors.terms : padded;
  const std::size_t bytes = factored_bytes<Scalar>(setup.graphs, factors, terms);
  plan::require_memory(setup, bytes);
  const Set set = pack_factored<Scalar>(space, setup.graphs, setup.kernel.stopping, plan.lowered, factors, terms);
  SolverSetup iterating = setup;
  iterating.options = plan.options_left(setup.options);
  const auto finish = [&]<class Xmv>(std::type_identity<Xmv>) -> std::unique_ptr<PairSolver> {
    FactoredRoom<Xmv, Scalar, MemorySpace> room{gpu ? large_team : 1, static_cast<std::size_t>(set.rank), {}};
    for (const Graph& graph : setup.graphs) room.vertices.push_back(static_cast<std::size_t>(graph.vertex_count()));
    using Room = decltype(room);
    auto solver = std::make_unique<Solver<ExecutionSpace, Set, Constant, Room>>(
        space, iterating, set, RuntimeVertexKernel<MemorySpace>(space, plan.lowered.vertex, setup.vertex_tables),
        Constant(), bytes, plan::describe_method(setup, plan.lowered, ExecutionSpace::name(), plan.report, bytes),
        Tier<Room>{std::move(room), std::numeric_limits<std::size_t>::max(), VectorPlace::workspace});
    return std::make_unique<plan::TruncatedSolver>(std::move(solver), plan, setup.options);
  };
  if (factors.sparse()) return finish(std::type_identity<SparselyFactoredXmv<Scalar, MemorySpace>>());
  return finish(std::type_identity<FactoredXmv<Scalar, MemorySpace, gpu>>());
}

template <class ExecutionSpace>
std::unique_ptr<PairSolver> make_factored(const ExecutionSpace& space, const SolverSetup& setup,
                                          const plan::LoweringPlan& plan) {
  return setup.precision == Precision::float32 ? make_factored_in<float>(space, setup, plan)
                                               : make_factored_in<double>(space, setup, plan);
}

}  // namespace octile::portable
