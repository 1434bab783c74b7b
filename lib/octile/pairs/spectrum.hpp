// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/request.hpp>
#include <octile/solve.hpp>
#include <octile/stopping.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace octile {

/// A bound of the relative rounding of a spectrum of n vertices in double: of D^-1/2 A D^-1/2, which is formed by a few operations
/// an entry and a sum of up to n weights, and of sums over the vertices of n numbers, one for each of up to n vectors.
double spectrum_rounding(std::int32_t vertices);

/// A graph's part of the closed form, from the eigendecomposition D^-1/2 A D^-1/2 = U Λ Uᵀ in double:
///
///     eigenvalues   λ_i, within ±ρ, ρ = max s_i/d_i < 1                  n, or fewer (see `spectrum_of`)
///     from_start    u_iᵀ D^-1/2 p                                        n
///     to_stop       u_iᵀ D^1/2 1                                         n
///     residuals     ‖D^-1/2 A D^-1/2 u_i − λ_i u_i‖, as measured         n
///
/// and, if kept, `vectors`: D^-1/2 U, n×n, column i for λ_i.
struct Spectrum {
  std::vector<double> eigenvalues;
  std::vector<double> from_start;
  std::vector<double> to_stop;
  std::vector<double> residuals;
  std::vector<double> vectors;
  double stop_residual = 0;       ///< ‖D^1/2 1 − U Uᵀ D^1/2 1‖ / ‖D^1/2 1‖, as measured
  double stop_norm = 0;           ///< ‖D^1/2 1‖
  double start_norm = 0;          ///< ‖D^-1/2 p‖
  double largest_eigenvalue = 0;  ///< max |λ_i|
  double rounding = 0;            ///< `spectrum_rounding` of its graph

  std::size_t size() const { return eigenvalues.size(); }
};

/// The spectrum of a graph, by O(n³) operations and 4·8·n² bytes of work space. If walks stop with a probability and no
/// vectors are kept, it has only the one or two eigenvectors whose sum is D^1/2 1, which take no decomposition.
Spectrum spectrum_of(const Graph& graph, const Stopping& stopping, bool keep_vectors = false);

/// Bytes that the spectra of a set take.
struct SpectraMemory {
  std::size_t kept = 0;      ///< all of them, without vectors
  std::size_t each = 0;      ///< work space of the largest decomposition
  std::size_t vertices = 0;  ///< of the graph with the largest decomposition

  explicit SpectraMemory(std::span<const Graph> graphs);
};

/// Constant base kernels.
struct ConstantKernels {
  double vertex = 1;  ///< κv, in (0, 1]
  double edge = 1;    ///< κe, in [0, 1]
};

/// K of two graphs whose base kernels are constant, in closed form and in double, n·m operations:
///
///     K = κv q² Σ_ij a_i a'_j / (1 − κv κe λ_i λ'_j),     a_i = (u_iᵀ D^-1/2 p)(u_iᵀ D^1/2 1)
///
/// `iterations` is 0. `residual` bounds the relative error of K, from the measured errors of the two decompositions
/// (derived at `closed_form_by_team`). The status is `converged` if it is within the tolerance, else `stagnated`.
PairResult closed_form(const Spectrum& first, const Spectrum& second, const ConstantKernels& kernels, double q,
                       double tolerance);

/// Writes the solution of one of a pair's two systems to `solution`, n·m values row major. Both spectra must have their
/// vectors. With W = D^-1/2 U ⊗ D'^-1/2 U' the node-wise similarity is x = κv q² W z, the adjoint solution y = κv W z,
/// with z_ij = (u_iᵀ D^1/2 1)(u'_jᵀ D'^1/2 1) / (1 − κv κe λ_i λ'_j) for x
/// and z_ij = (u_iᵀ D^-1/2 p)(u'_jᵀ D'^-1/2 p') / (1 − κv κe λ_i λ'_j) for y.
void closed_form_nodewise(const Spectrum& first, const Spectrum& second, const ConstantKernels& kernels, double q,
                          RightHandSide right_hand_side, std::span<double> solution);

/// Writes the solutions that a request asks for to their places in `nodewise`. Decomposes the graphs of each pair with
/// vectors, except those that were in the previous pair: put pairs of one graph next to each other.
void closed_form_solutions(std::span<const Graph> graphs, const Stopping& stopping, const ConstantKernels& kernels,
                           const Request& request, std::span<double> nodewise);

}  // namespace octile
