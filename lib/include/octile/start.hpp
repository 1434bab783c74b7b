// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/stopping.hpp>

#include <span>
#include <string>
#include <string_view>

namespace octile {

/// Where walks start: how the starting weights p of a set's vertices are chosen. K is linear in the p of each graph.
struct Start {
  /// The rule for the weights.
  enum class Kind {
    uniform,    ///< 1/n each: K is a mean over pairs of vertices
    ones,       ///< 1 each: K is a sum over pairs of vertices, and grows with the graphs, as energies do
    degree,     ///< d_i / Σ d: y is proportional to x, so that a certified value takes one solve instead of two
    attribute,  ///< the numbers ≥ 0 of a vertex attribute
  };

  Kind kind = Kind::uniform;  ///< the rule
  std::string attribute{};    ///< its name, for `Kind::attribute`; else empty

  /// Reads `uniform`, `ones`, `degree` or `attribute:NAME`; throws `Error` that says what was allowed.
  static Start parse(std::string_view text);

  /// Gives the graphs these weights. Throws `Error` that names the graph for an attribute that it lacks, and for one that is
  /// not a number ≥ 0 for each vertex, or 0 for all.
  void apply_to(std::span<Graph> graphs, const Stopping& stopping) const;

  std::string to_string() const;  ///< as parse() reads it, such as "attribute:charge"
};

}  // namespace octile
