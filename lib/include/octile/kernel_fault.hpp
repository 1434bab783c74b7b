// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/batch_fault.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace octile {

/// Where a kernel is wrong. Of two sets, graph, vertex and entry are numbered in the set that they belong to.
struct KernelPlace : FaultPlace {
  std::size_t other = 0;          ///< the second entry of κe(entry, other), or vertex of κv(vertex, other)
  bool in_columns = false;        ///< of two sets, in the second
  std::size_t other_graph = 0;    ///< where `other` is a vertex: its graph
  bool other_in_columns = false;  ///< of two sets, in the second
};

/// The first thing that is found to be wrong with the kernel of a solve.
struct KernelFault : KernelPlace {
  /// The kinds of faults, the first of which is reported.
  enum Kind : std::uint32_t {
    starting,  ///< a starting probability is not a finite number ≥ 0; at a vertex
    stopping,  ///< q as a weight is far above the weights of a graph that are scaled; at a graph, `value` is its largest weight
    edge_range,    ///< κe is not in [0, 1]; at two entries
    one_way,       ///< κe(a, b) is not κe(b, a); at two entries
    unlike_sides,  ///< κe tells the labels of (i, j) and (j, i) apart; at these entries
    at_pivot,      ///< one of the two above, with an entry of which a factor was made; not reported as such
    vertex_range,  ///< κv is not in (0, 1]; at two vertices. Only pairs with such vertices are a breakdown.
  };
  Kind kind = starting;  ///< what is wrong: `value` is p, a largest weight, κe or κv
  /// The number of the vertex, graph or entry; for κv, the number of a pair among all that are solved. Vertices are
  /// counted as starting probabilities are, also those of two sets.
  std::size_t place = 0;

  /// What was allowed, such as "an edge kernel is in [0, 1]".
  static constexpr std::string_view allowed(Kind kind) {
    switch (kind) {
      case starting: return "a starting probability is a finite number >= 0";
      case stopping: return "a stopping weight is at most 2^50 times the largest weight of such a graph";
      case edge_range: return "an edge kernel is in [0, 1]";
      case one_way: return "an edge kernel is the same both ways";
      case unlike_sides: return "(i, j) and (j, i) have labels that the edge kernel cannot tell apart";
      case at_pivot: return "an edge kernel is in [0, 1], and the same both ways";
      case vertex_range: return "a vertex kernel is in (0, 1]";
    }
    return "";
  }

  /// One line: the place, the value and what was allowed.
  std::string message() const;
};

namespace detail {

struct KernelRecord : FaultRecord<KernelPlace> {
  /// The first pair without a value, for which κv may be why.
  std::uint32_t broken = ~std::uint32_t(0);
  /// The largest Σ_j A_ij / d_i, where q is a weight.
  double reach = 0;
};

/// What is allowed of values of κe.
struct EdgeRules {
  /// A sum of rounded coefficients may pass 1 by a few units in the last place, also in a kernel that rounds to float.
  static constexpr double slack = 1e-6;
  /// Labels that are alike give the same bits, unless they are formed in another order from the two ends of an edge.
  static constexpr double likeness = 1e-12;
  /// How far q as a weight may be above the weights of a graph that are scaled: products of degrees are to be finite in float.
  static constexpr double most_scaled_stopping = 0x1p50;

  KOKKOS_INLINE_FUNCTION static bool inside(double value) { return value >= 0 && value <= 1 + slack; }
  KOKKOS_INLINE_FUNCTION static bool same(double value, double other) { return Kokkos::abs(value - other) <= slack; }
  KOKKOS_INLINE_FUNCTION static bool alike(double value, double own) { return Kokkos::abs(value - own) <= likeness; }
};

}  // namespace detail
}  // namespace octile
