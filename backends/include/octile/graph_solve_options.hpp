// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph_outputs.hpp>
#include <octile/lowerings.hpp>
#include <octile/solve.hpp>

#include <type_traits>

namespace octile {

/// Which backend solves graphs in Views.
enum class GraphBackend {
  /// On Kokkos::Cuda the native kernels, where by their `Capacity` graphs have at most 96 vertices in the mean and 512 each. The portable backend
  /// solves what these leave, and everything else.
  automatic,
  portable,  ///< the portable one
};

/// The tolerance of graphs in Views unless one is given: what a precision reaches without effort.
template <class Scalar>
inline constexpr double usual_tolerance = std::is_same_v<Scalar, float> ? 1e-6 : 1e-8;

/// How graphs in Views are solved.
struct GraphSolveOptions {
  /// The residual to reach and the most iterations of a pair. A tolerance of 0 stands for `usual_tolerance` of the graphs' precision.
  SolveOptions solve{.tolerance = 0};
  /// Values are K(G, G') / √(K(G, G) K(G', G')); the residual of a pair bounds the relative error of that.
  Normalize normalize = Normalize::no;
  /// How the portable backend reaches the edge kernel where it solves alone. `automatic` takes factors if at most 64
  /// suffice, else `on_the_fly`. Other lowerings throw `Error`. What the native kernels leave is solved on the fly.
  Lowering lowering = Lowering::automatic;
  GraphBackend backend = GraphBackend::automatic;  ///< native kernels where they suit, or the portable backend alone
};

}  // namespace octile
