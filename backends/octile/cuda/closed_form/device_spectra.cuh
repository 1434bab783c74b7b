// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/closed_form_pair.hpp>
#include <octile/cuda/buffers.cuh>
#include <octile/graph.hpp>
#include <octile/stopping.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>

namespace octile::cuda {

/// The spectra of a set (spectrum.hpp, without vectors), in the device's memory.
struct Spectra {
  Array<SpectrumView> views;  ///< a graph each, into `values`
  Array<double> values;       ///< of each graph: eigenvalues, from_start, to_stop, residuals
  double device_seconds = 0;  ///< that the decompositions took, by the device's clock
};

/// Decomposes a set by cuSOLVER, in batches of like sizes that take, with what they need, up to `memory` bytes beside the
/// spectra. A graph that is too large for that alone is decomposed on the host, within the same memory. Waits. Throws
/// `Error` where one fits neither, or its decomposition does not converge.
Spectra spectra_of(const Kokkos::Cuda& space, std::span<const Graph> graphs, const Stopping& stopping,
                   std::size_t memory);

}  // namespace octile::cuda
