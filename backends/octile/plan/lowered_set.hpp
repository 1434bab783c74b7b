// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/bytes.hpp>
#include <octile/error.hpp>
#include <octile/lowering.hpp>
#include <octile/solver_setup.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace octile::plan {

/// The two base kernels of a set, lowered.
struct LoweredSet {
  LoweredKernel vertex;
  LoweredKernel edge;

  explicit LoweredSet(const SolverSetup& setup)
      : vertex(lower(setup.graphs, setup.kernel.vertex, LabelSite::vertex)),
        edge(lower(setup.graphs, setup.kernel.edge, LabelSite::edge)) {}

  /// No edge is there, or they all have the same label.
  bool constant_edges() const { return edge.constant() || edge.record_count == 0; }
  /// κe is one of those that the native backend has products of elements for.
  bool has_plain_edges() const {
    return constant_edges() || edge.tabulated() || edge.delta() || edge.square_exponential();
  }
  /// κe where edges all have the same label.
  double edge_constant() const { return edge.constant() ? edge.program[0].parameter : 1.0; }
  /// The number that edge e of graph g is labelled with, where κe is one square exponential.
  double edge_number(std::size_t g, std::size_t e) const { return edge.records[edge.ids[g][e]]; }
};

/// Throws `Error` if the set takes more than is allowed.
void require_memory(const SolverSetup& setup, std::size_t set_bytes);

/// Pairs of `each` bytes of work space that fit `memory`. Throws `Error` that tells the vertices of the largest if none
/// does.
std::size_t pairs_that_fit(std::size_t each, std::size_t memory, std::size_t vertices, std::size_t vertices_second);

/// What there is to say of a solver, in one line; `method` is how it solves.
std::string describe_method(const SolverSetup& setup, const LoweredSet& lowered, std::string_view space,
                            std::string_view method, std::size_t set_bytes);

/// The same of a solver that iterates by a primitive.
std::string describe(const SolverSetup& setup, const LoweredSet& lowered, std::string_view space,
                     std::string_view primitive, std::size_t set_bytes);

}  // namespace octile::plan
