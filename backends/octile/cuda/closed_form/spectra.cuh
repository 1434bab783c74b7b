// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/closed_form/scaled_set.cuh>
#include <octile/pairs/closed_form_pair.hpp>

#include <cstddef>
#include <cstdint>

// Kernels that run before and after the eigendecompositions of a set: one assembles matrices, one measures the results.
namespace octile::cuda {

/// Threads of a block of `assemble`, and of `measure`.
inline constexpr int assembling = 128;
inline constexpr int measuring = 512;

/// The value on the diagonal of padding rows, from a graph's vertices up to the size of its batch. It is above every
/// |λ| < 1: so the eigenvalues of padding come last, and the other eigenvectors are 0 in padding.
inline constexpr double padding = 2;

/// Assembles S, one graph a block: column-major, n×n with padding. `matrices` is 0 at first.
inline __global__ void __launch_bounds__(assembling)
    assemble(const ScaledSetView set, const std::uint32_t* graphs, std::int64_t n, double* matrices) {
  const std::uint32_t begin = set.vertex_begin[graphs[blockIdx.x]];
  const std::int64_t vertices = set.vertex_begin[graphs[blockIdx.x] + 1] - begin;
  double* const matrix = matrices + blockIdx.x * n * n;
  for (std::int64_t v = threadIdx.x; v < n; v += assembling) {
    double* const column = matrix + v * n;
    if (v >= vertices) {
      column[v] = padding;
      continue;
    }
    const std::uint32_t end = set.row_begin[begin + v + 1];
    for (std::uint32_t e = set.row_begin[begin + v]; e < end; ++e) column[set.columns[e]] = set.entries[e];
  }
}

/// Forms spectra from the eigenvectors and eigenvalues of the matrices of `assemble`, one graph a block. A warp takes
/// one eigenvector at a time, a lane one vertex.
inline __global__ void __launch_bounds__(measuring)
    measure(const ScaledSetView set, const std::uint32_t* graphs, std::int64_t n, const double* vectors,
            const double* eigenvalues, double* values, SpectrumView* views) {
  __shared__ double partial[measuring / warp_lanes];
  const std::uint32_t graph = graphs[blockIdx.x];
  const std::uint32_t begin = set.vertex_begin[graph];
  const auto vertices = static_cast<std::int32_t>(set.vertex_begin[graph + 1] - begin);
  const auto warp = static_cast<std::int32_t>(threadIdx.x) / warp_lanes;
  const double* const u = vectors + blockIdx.x * n * n;
  const double* const lambda = eigenvalues + blockIdx.x * n;
  const double* const root = set.root + begin;
  const double* const start = set.start + begin;
  double* const kept = values + 4 * static_cast<std::size_t>(begin);
  double* const to_stop = kept + 2 * vertices;
  const WarpTeam team;
  for (std::int32_t i = warp; i < vertices; i += measuring / warp_lanes) {
    const double* const column = u + i * n;
    double from = 0;
    double to = 0;
    double squares = 0;
    for (std::int32_t v = team.lane(); v < vertices; v += warp_lanes) {
      double left = -lambda[i] * column[v];
      const std::uint32_t end = set.row_begin[begin + v + 1];
      for (std::uint32_t e = set.row_begin[begin + v]; e < end; ++e) left += set.entries[e] * column[set.columns[e]];
      squares += left * left;
      from += column[v] * start[v];
      to += column[v] * root[v];
    }
    from = team.sum(from);
    to = team.sum(to);
    squares = team.sum(squares);
    if (team.lane() == 0) {
      kept[i] = lambda[i];
      kept[vertices + i] = from;
      to_stop[i] = to;
      kept[3 * vertices + i] = sqrt(squares);
    }
  }
  __syncthreads();
  double squares = 0;
  for (auto v = static_cast<std::int32_t>(threadIdx.x); v < vertices; v += measuring) {
    double left = root[v];
    for (std::int32_t i = 0; i < vertices; ++i) left -= u[i * n + v] * to_stop[i];
    squares += left * left;
  }
  squares = team.sum(squares);
  if (team.lane() == 0) partial[warp] = squares;
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (const double part : partial) sum += part;
    SpectrumView& view = views[graph];
    view.stop_residual = sqrt(sum) / view.stop_norm;
    view.largest_eigenvalue = fmax(fabs(lambda[0]), fabs(lambda[vertices - 1]));
  }
}

}  // namespace octile::cuda
