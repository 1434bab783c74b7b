// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/solver.cuh>
#include <octile/cuda/solvers.hpp>
#include <octile/plan/truncated.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace octile::cuda {
namespace {

using octile::plan::TruncatedSolver;

template <int Chunk, bool Alike>
std::unique_ptr<PairSolver> make(const SolverSetup& setup, const LoweringPlan& plan) {
  SolverSetup iterating = setup;
  iterating.options.tolerance -= plan.relative_error;
  Layout layout;
  layout.factored = {&*plan.factors, Chunk, Chunk > 1 || Alike, Chunk == 1};
  const auto record = [&plan](std::size_t g, std::size_t e) { return plan.lowered.edge.ids[g][e]; };
  auto solver = std::make_unique<Solver<Product::factored, std::uint32_t, FactoredEdges<Chunk, Alike>>>(
      Kokkos::Cuda(), iterating, plan, FactoredEdges<Chunk, Alike>{}, layout, plan.report, record);
  return std::make_unique<TruncatedSolver>(std::move(solver), plan.relative_error);
}

/// Whether all edges of a graph have one weight and one record, in each graph.
bool are_edges_alike(std::span<const Graph> graphs, const LoweringPlan& plan) {
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::vector<std::uint32_t>& records = plan.lowered.edge.ids[g];
    for (std::size_t e = 1; e < graphs[g].edge_count(); ++e) {
      if (records[e] != records[0]) return false;
    }
  }
  return std::ranges::all_of(graphs, has_one_weight);
}

}  // namespace

bool has_one_weight(const Graph& graph) {
  const auto unlike = [](const Edge& one, const Edge& other) { return one.weight != other.weight; };
  return std::ranges::adjacent_find(graph.edges(), unlike) == graph.edges().end();
}

std::unique_ptr<PairSolver> make_factored_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  if (plan.factors->rank != 1) return make<3, false>(setup, plan);
  return are_edges_alike(setup.graphs, plan) ? make<1, true>(setup, plan) : make<1, false>(setup, plan);
}

}  // namespace octile::cuda
