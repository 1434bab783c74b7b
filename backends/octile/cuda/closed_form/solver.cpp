// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/closed_form/solver.hpp>

#include <octile/cuda/block/warp.cuh>
#include <octile/cuda/closed_form/device_spectra.cuh>
#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/device/launch.cuh>
#include <octile/pairs/closed_form_pair.hpp>
#include <octile/plan/spectral_solver.hpp>
#include <octile/solvers/pair_solver.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace octile::cuda {
namespace {

/// The most warps that a block has. Each warp evaluates one pair.
constexpr int most_warps = 4;

/// Bytes of shared memory that a block may use without opting in to more.
constexpr std::size_t shared_by_default = 48 << 10;

/// A list of pairs to evaluate.
struct PairWork {
  const SpectrumView* spectra;
  const Pair* pairs;
  PairResult* results;
  std::size_t count;
  ConstantKernels kernels;
  double q;
  double tolerance;
  std::int32_t columns;  ///< of the pair that has the most
};

/// Evaluates K, one pair a warp. The sums of a pair's columns lie in shared memory; each is written by one lane.
__global__ void __launch_bounds__(most_warps* warp_lanes) evaluate_pairs(const __grid_constant__ PairWork work) {
  extern __shared__ double column_squares[];
  const std::size_t warp = threadIdx.x / warp_lanes;
  const std::size_t k = blockIdx.x * std::size_t(blockDim.x / warp_lanes) + warp;
  if (k >= work.count) return;
  const Pair pair = work.pairs[k];
  const WarpTeam team;
  const PairResult result =
      closed_form_by_team(team, work.spectra[pair.first], work.spectra[pair.second], work.kernels, work.q,
                          work.tolerance, column_squares + warp * static_cast<std::size_t>(work.columns));
  if (team.lane() == 0) work.results[k] = result;
}

/// The closed form: spectra by cuSOLVER, then one warp a pair.
class ClosedFormSolver final : public octile::plan::SpectralSolver {
 public:
  ClosedFormSolver(const Kokkos::Cuda& space, const SolverSetup& setup, const LoweringPlan& plan)
      : SpectralSolver(setup, plan, "native CUDA"), space_(space) {
    const OnDevice device(space_);
    spectra_ = spectra_of(space_, graphs(), stopping(), setup.memory - memory().kept);
    uncounted_seconds_ = spectra_.device_seconds;
  }

  double device_seconds() const override { return decomposition_seconds_ + stopwatch_.seconds(); }

 private:
  void evaluate(std::span<const Pair> pairs, std::span<PairResult> results) override {
    if (pairs.empty()) return;
    decomposition_seconds_ = std::exchange(uncounted_seconds_, 0.0);
    const OnDevice device(space_);
    const Kokkos::Profiling::ScopedRegion region("octile::closed_form");
    grow(space_, pairs_, "pairs", pairs.size());
    grow(space_, results_, "results", pairs.size());
    Kokkos::deep_copy(space_, first_of(pairs_, pairs.size()),
                      Kokkos::View<const Pair*, Kokkos::HostSpace>(pairs.data(), pairs.size()));
    launch(pairs);
    Kokkos::deep_copy(space_, Kokkos::View<PairResult*, Kokkos::HostSpace>(results.data(), results.size()),
                      first_of(results_, results.size()));
    space_.fence("octile::closed_form");
  }

  /// Queues the evaluation of `pairs_`. `pairs` is the same list on the host.
  void launch(std::span<const Pair> pairs) {
    const auto columns = [this](Pair pair) { return vertices(pair.second); };
    const std::int32_t most = columns(*std::ranges::max_element(pairs, {}, columns));
    const auto each = static_cast<std::size_t>(most) * sizeof(double);
    const std::size_t warps = std::clamp<std::size_t>(shared_by_default / each, 1, most_warps);
    const std::size_t bytes = warps * each;
    if (bytes > shared_by_default) {
      allow_shared_memory(space_, reinterpret_cast<const void*>(evaluate_pairs), bytes);
    }
    const PairWork work{spectra_.views.data(), pairs_.data(), results_.data(), pairs.size(), kernels(), stopping().q(),
                        tolerance(),           most};
    const cudaStream_t stream = space_.cuda_stream();
    stopwatch_.start(stream);
    evaluate_pairs<<<static_cast<unsigned>((pairs.size() + warps - 1) / warps),
                     static_cast<unsigned>(warps) * warp_lanes, bytes, stream>>>(work);
    require_success(cudaGetLastError(), "launch of octile::cuda::evaluate_pairs");
    stopwatch_.stop(stream);
  }

  Kokkos::Cuda space_;
  Spectra spectra_;
  Array<Pair> pairs_;
  Array<PairResult> results_;
  Stopwatch stopwatch_;
  double uncounted_seconds_ = 0;      ///< device time of the decompositions, until the first solve includes it
  double decomposition_seconds_ = 0;  ///< device time of the decompositions that the last solve includes
};

}  // namespace

std::unique_ptr<PairSolver> make_closed_form_solver(const SolverSetup& setup, const LoweringPlan& plan) {
  return std::make_unique<ClosedFormSolver>(Kokkos::Cuda(), setup, plan);
}

}  // namespace octile::cuda
