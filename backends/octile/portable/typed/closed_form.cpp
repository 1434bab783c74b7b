// SPDX-License-Identifier: BSD-3-Clause
#include <octile/interruption.hpp>
#include <octile/pairs/spectrum.hpp>
#include <octile/plan/spectral_solver.hpp>
#include <octile/portable/typed/lowerings.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

namespace octile::portable {
namespace {

/// The closed form: each thread decomposes graphs, then evaluates pairs.
template <class HostSpace>
class ClosedFormSolver final : public plan::SpectralSolver {
 public:
  ClosedFormSolver(const HostSpace& space, const SolverSetup& setup, const plan::LoweringPlan& plan)
      : SpectralSolver(setup, plan, HostSpace::name()), space_(space), spectra_(setup.graphs.size()) {
    const std::size_t fit =
        plan::pairs_that_fit(memory().each, setup.memory - memory().kept, memory().vertices, memory().vertices);
    decompose(std::min(fit, static_cast<std::size_t>(space_.concurrency())));
  }

 private:
  void evaluate(std::span<const Pair> pairs, std::span<PairResult> results) override {
    const Kokkos::Profiling::ScopedRegion region("octile::closed_form");
    Kokkos::parallel_for("octile::closed_form", schedule(pairs.size()), [this, pairs, results](const std::size_t k) {
      results[k] =
          closed_form(spectra_[static_cast<std::size_t>(pairs[k].first)],
                      spectra_[static_cast<std::size_t>(pairs[k].second)], kernels(), stopping().q(), tolerance());
    });
    space_.fence("octile::closed_form");
  }

  /// Decomposes the graphs, `at_a_time` concurrently, the largest first.
  void decompose(std::size_t at_a_time) {
    const Kokkos::Profiling::ScopedRegion region("octile::spectra");
    std::vector<std::size_t> order(graphs().size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [this](std::size_t g) { return graphs()[g].vertex_count(); });
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stopped = false;
    Kokkos::parallel_for("octile::spectra", schedule(at_a_time), [this, &order, &next, &stopped](const std::size_t) {
      for (std::size_t k = next++; k < order.size() && !stopped; k = next++) {
        spectra_[order[k]] = spectrum_of(graphs()[order[k]], stopping());
        if (asked_to_stop()) stopped = true;
      }
    });
    space_.fence("octile::spectra");
    stop_if_asked();
  }

  auto schedule(std::size_t count) const {
    return Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::size_t>>(space_, 0,
                                                                                                             count);
  }

  HostSpace space_;
  std::vector<Spectrum> spectra_;
};

}  // namespace

template <class HostSpace>
std::unique_ptr<PairSolver> make_closed_form(const HostSpace& space, const SolverSetup& setup,
                                             const plan::LoweringPlan& plan) {
  return std::make_unique<ClosedFormSolver<HostSpace>>(space, setup, plan);
}

#ifdef KOKKOS_ENABLE_SERIAL
template std::unique_ptr<PairSolver> make_closed_form(const Kokkos::Serial&, const SolverSetup&,
                                                      const plan::LoweringPlan&);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template std::unique_ptr<PairSolver> make_closed_form(const Kokkos::OpenMP&, const SolverSetup&,
                                                      const plan::LoweringPlan&);
#endif

}  // namespace octile::portable
