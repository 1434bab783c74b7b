// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/cuda/device/buffers.cuh>
#include <octile/graph.hpp>
#include <octile/pairs/closed_form_pair.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>

namespace octile::cuda {

/// The spectra of a set (spectrum.hpp, without vectors), in the device's memory.
struct Spectra {
  Array<SpectrumView> views;  ///< one a graph; each points into `values`
  Array<double> values;       ///< for each graph: eigenvalues, from_start, to_stop, residuals
  double device_seconds = 0;  ///< device time of the decompositions
};

/// Decomposes a set by cuSOLVER, in batches of similar sizes. A batch and its work space take at most `memory` bytes;
/// the spectra are not counted. A graph too large for that is decomposed on the host, within the same limit. Waits for
/// the results. Throws `Error` if a graph fits neither, or if its decomposition does not converge.
Spectra spectra_of(const Kokkos::Cuda& space, std::span<const Graph> graphs, const Stopping& stopping,
                   std::size_t memory);

}  // namespace octile::cuda
