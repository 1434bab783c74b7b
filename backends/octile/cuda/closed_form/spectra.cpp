// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/closed_form/device_spectra.cuh>

#include <octile/base/to_memory.hpp>
#include <octile/cuda/closed_form/eigensolver.cuh>
#include <octile/cuda/closed_form/scaled_set.cuh>
#include <octile/cuda/closed_form/spectra.cuh>
#include <octile/pairs/spectrum.hpp>
#include <octile/plan/lowered_set.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace octile::cuda {
namespace {

using octile::plan::pairs_that_fit;

/// The size that a graph's matrix is padded to for its batch: few different sizes, with little padding.
std::int64_t padded(std::int32_t vertices) {
  const std::int32_t step = vertices <= 64 ? 8 : 32;
  return (vertices + step - 1) / step * step;
}

/// Graphs of one padded size that are decomposed at once, and the layout of the memory that this takes:
///
///     matrices (n² each) | eigenvalues (n each) | work space of cuSOLVER, aligned
struct Part {
  Eigensolver::Batch batch;
  std::size_t begin;  ///< in the order of the graphs

  std::size_t elements() const { return static_cast<std::size_t>(batch.n * batch.n * batch.count); }
  std::size_t workspace_begin() const {
    constexpr std::size_t alignment = 256;
    const std::size_t values = elements() + static_cast<std::size_t>(batch.n * batch.count);
    return (values * sizeof(double) + alignment - 1) / alignment * alignment;
  }
};

/// Computes the `Spectra` of a set, batch by batch.
class Decomposition {
 public:
  Decomposition(const Kokkos::Cuda& space, std::span<const Graph> graphs, const Stopping& stopping, std::size_t memory)
      : space_(space),
        graphs_(graphs),
        stopping_(stopping),
        memory_(memory),
        set_(graphs, stopping),
        device_set_(space, set_),
        solver_(space),
        order_(graphs.size()) {
    std::iota(order_.begin(), order_.end(), std::uint32_t(0));
    std::ranges::stable_sort(order_, {}, [this](std::uint32_t g) { return size_of(g); });
    grow(space_, spectra_.values, "spectra", 4 * set_.root.size());
  }

  Spectra run() {
    split();
    place_views();
    spectra_.views = detail::to_memory<Kokkos::Cuda::memory_space>(space_, "spectrum_views", views_);
    const Array<std::uint32_t> order = detail::to_memory<Kokkos::Cuda::memory_space>(space_, "graph_order", order_);
    const Array<int> information(Kokkos::view_alloc(space_, "octile::information"), order_.size());
    std::size_t most = 0;
    for (const Part& part : parts_) most = std::max(most, bytes(part));
    Array<unsigned char> memory;
    grow(space_, memory, "decompositions", most);
    const cudaStream_t stream = space_.cuda_stream();
    Stopwatch stopwatch;
    stopwatch.start(stream);
    for (const Part& part : parts_) {
      const std::int64_t n = part.batch.n;
      const auto blocks = static_cast<unsigned>(part.batch.count);
      const std::uint32_t* const graphs = order.data() + part.begin;
      auto* const matrices = reinterpret_cast<double*>(memory.data());
      double* const eigenvalues = matrices + part.elements();
      require_success(cudaMemsetAsync(matrices, 0, part.elements() * sizeof(double), stream), "octile::cuda::assemble");
      assemble<<<blocks, assembling, 0, stream>>>(device_set_.view(), graphs, n, matrices);
      require_success(cudaGetLastError(), "launch of octile::cuda::assemble");
      solver_.enqueue(part.batch, matrices, eigenvalues, information.data() + part.begin,
                      memory.data() + part.workspace_begin());
      measure<<<blocks, measuring, 0, stream>>>(device_set_.view(), graphs, n, matrices, eigenvalues,
                                                spectra_.values.data(), spectra_.views.data());
      require_success(cudaGetLastError(), "launch of octile::cuda::measure");
    }
    stopwatch.stop(stream);
    require_convergence(information);
    spectra_.device_seconds = stopwatch.seconds();
    return spectra_;
  }

 private:
  std::int64_t size_of(std::uint32_t graph) const { return padded(graphs_[graph].vertex_count()); }

  std::size_t bytes(const Part& part) const {
    return part.workspace_begin() + solver_.workspace(part.batch, spectra_.values.data());
  }

  /// Cuts the graphs into batches that fit the memory. A graph that does not fit alone is decomposed on the host, here.
  void split() {
    const std::size_t left = memory_ > set_.bytes() ? memory_ - set_.bytes() : 0;
    for (std::size_t begin = 0; begin < order_.size();) {
      const std::int64_t n = size_of(order_[begin]);
      std::size_t end = begin;
      while (end < order_.size() && size_of(order_[end]) == n) ++end;
      std::int64_t count = std::min(static_cast<std::int64_t>(end - begin), Eigensolver::most_elements / (n * n));
      while (count > 0 && bytes({{n, count}, begin}) > left) count /= 2;
      while (begin < end && count > 0) {
        count = std::min(count, static_cast<std::int64_t>(end - begin));
        parts_.push_back({{n, count}, begin});
        begin += static_cast<std::size_t>(count);
      }
      for (; begin < end; ++begin) on_host_.push_back(order_[begin]);
    }
  }

  /// Sets the views into `values`, with what the host knows of each spectrum.
  void place_views() {
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const std::int32_t n = graphs_[g].vertex_count();
      const double* const values = spectra_.values.data() + 4 * static_cast<std::size_t>(set_.vertex_begin[g]);
      views_.push_back({values, values + n, values + 2 * n, values + 3 * n, 0, set_.stop_norm[g], set_.start_norm[g], 0,
                        spectrum_rounding(n), n});
    }
    for (const std::uint32_t g : on_host_) decompose_here(g);
  }

  void decompose_here(std::uint32_t g) {
    const SpectraMemory memory(graphs_.subspan(g, 1));
    pairs_that_fit(memory.each, memory_, memory.vertices, memory.vertices);
    const Spectrum spectrum = spectrum_of(graphs_[g], stopping_);
    std::vector<double> values;
    for (const auto* part : {&spectrum.eigenvalues, &spectrum.from_start, &spectrum.to_stop, &spectrum.residuals}) {
      values.insert(values.end(), part->begin(), part->end());
    }
    const std::size_t begin = 4 * static_cast<std::size_t>(set_.vertex_begin[g]);
    Kokkos::deep_copy(space_, Kokkos::subview(spectra_.values, std::pair(begin, begin + values.size())),
                      Kokkos::View<const double*, Kokkos::HostSpace>(values.data(), values.size()));
    space_.fence("octile::spectra");
    const double* const from = spectra_.values.data() + begin;
    const std::size_t count = spectrum.size();
    views_[g] = view_of(spectrum);
    views_[g].eigenvalues = from;
    views_[g].from_start = from + count;
    views_[g].to_stop = from + 2 * count;
    views_[g].residuals = from + 3 * count;
  }

  /// Throws `Error` for a decomposition that did not converge. Waits for the instance.
  void require_convergence(const Array<int>& information) const {
    std::vector<int> on_host(order_.size());
    Kokkos::deep_copy(space_, Kokkos::View<int*, Kokkos::HostSpace>(on_host.data(), on_host.size()), information);
    space_.fence("octile::spectra");
    for (std::size_t k = 0; k < on_host.size(); ++k) {
      if (on_host[k] == 0) continue;
      throw Error(
          fmt::format("graph '{}': its eigendecomposition did not converge (cuSOLVER's information is {}, and "
                      "allowed is 0)",
                      graphs_[order_[k]].name(), on_host[k]));
    }
  }

  Kokkos::Cuda space_;
  std::span<const Graph> graphs_;
  Stopping stopping_;
  std::size_t memory_;
  ScaledSet set_;
  DeviceScaledSet device_set_;
  Eigensolver solver_;
  std::vector<std::uint32_t> order_;  ///< graphs by rising size
  std::vector<Part> parts_;
  std::vector<std::uint32_t> on_host_;
  std::vector<SpectrumView> views_;
  Spectra spectra_;
};

}  // namespace

Spectra spectra_of(const Kokkos::Cuda& space, std::span<const Graph> graphs, const Stopping& stopping,
                   std::size_t memory) {
  const Kokkos::Profiling::ScopedRegion region("octile::spectra");
  return Decomposition(space, graphs, stopping, memory).run();
}

}  // namespace octile::cuda
