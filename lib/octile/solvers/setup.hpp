// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/shared_tables.hpp>
#include <octile/graph.hpp>
#include <octile/lowerings.hpp>
#include <octile/pairs/cost_model.hpp>
#include <octile/precision.hpp>
#include <octile/primitives.hpp>
#include <octile/problem.hpp>
#include <octile/solve.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <cstddef>
#include <span>

namespace octile {

/// The input from which a backend makes a solver. Spans and references are valid during the call only.
struct SolverSetup {
  std::span<const Graph> graphs;
  const KernelSpec& kernel;
  Precision precision = Precision::float64;
  SolveOptions options{};
  Primitive primitive{};
  std::size_t memory = default_memory;  ///< bytes for the set and the work space together
  Lowering lowering = Lowering::automatic;
  const CostModel* cost = nullptr;  ///< of the graphs; if null, code that needs one makes it
  SharedTables* vertex_tables =
      nullptr;  ///< of the graphs and the kernel; if null, a solver that needs tables makes its own
};

}  // namespace octile
