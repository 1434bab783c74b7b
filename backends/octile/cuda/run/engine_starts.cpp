// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/engine.cuh>

#include <algorithm>
#include <cstddef>
#include <vector>

// How an engine proves pairs by their starts alone.
namespace octile::cuda {

/// Whether a certifier proves most pairs by their starts alone. This depends on the set, the accuracy and the derivatives alone, so that
/// a pair is solved in the same way whatever list it is in.
bool Engine::reduces(Certifier& certifier, const Certified& how) {
  // Room for the longer one of the list and the sample.
  reduced_pairs_.reserve_pairs(space_, std::max(room_.pairs, plan_.set().vertices.size()));
  if (!certifier.has_bases()) {
    reduced_pairs_.reserve_bases(space_, projection_, certifier, weight_scales_);
    timing().span.start(space_.cuda_stream());
    reduced_pairs_.take_bases(space_, projection_, certifier);
    timing().span.stop(space_.cuda_stream());
    space_.fence("octile::cuda::take_bases");
    reduced_pairs_.forget_bases();
    timing().of_set += timing().span.seconds();
    reduced_for_.reset();
  }
  if (!reduced_for_ || !reduced_for_->same_proof(how)) {
    reduced_for_ = how;
    reduced_ = proves_sample(certifier, how);
  }
  return reduced_;
}

/// Queues the certification by their starts alone of those pairs, arranged last, whose tiers have bases. With `slopes` numbers of derivatives for
/// each there must be room for these and for trials.
void Engine::certify_starts(std::span<const Part> parts, const Certifier& certifier, std::size_t slopes) {
  const SlopeRows rows = slopes > 0 ? SlopeRows{slopes_.data(), slopes} : SlopeRows{};
  const detail::ReducedSteps steps =
      slopes > 0 ? detail::ReducedSteps{trials_.data(), trial_scales_.data()} : detail::ReducedSteps{};
  for (const Part& part : parts) {
    if (!plan_.tiers()[part.tier].based()) continue;
    reduced_pairs_.certify(space_, projection_, certifier, scale_,
                           {pairs_.data() + part.begin, begins_.data() + part.begin, part.count,
                            results_.data() + part.begin, rows.from(part.begin), steps.from(part.begin)});
  }
}

/// Whether three of four of the pairs of neighbouring graphs are proven by their starts, with derivatives as exact as they have to be if these
/// are formed.
bool Engine::proves_sample(const Certifier& certifier, const Certified& how) {
  const std::size_t graphs = plan_.set().vertices.size();
  std::vector<Pair> sample;
  for (std::size_t g = 0; g < graphs; ++g) {
    const Pair pair{static_cast<std::int32_t>(g), static_cast<std::int32_t>((g + 1) % graphs)};
    if (vertices(pair.first) <= most_based && vertices(pair.second) <= most_based) sample.push_back(pair);
  }
  const std::vector<Part> parts = arrange(sample, true);
  const std::size_t slopes = how.slopes;
  if (slopes > 0) make_room_for_trials();
  make_room_for_slopes(slopes);
  timing().span.start(space_.cuda_stream());
  certify_starts(parts, certifier, slopes);
  timing().span.stop(space_.cuda_stream());
  const auto to_host = [this](const auto& numbers) {
    const auto copy = Kokkos::create_mirror_view(Kokkos::HostSpace(), numbers);
    Kokkos::deep_copy(space_, copy, numbers);
    return copy;
  };
  const auto results = to_host(first_of(results_, sample.size()));
  const auto rows = to_host(first_of(slopes_, slopes * sample.size()));
  space_.fence("octile::cuda::proves_sample");
  timing().of_set += timing().span.seconds();
  const auto proven = [&](std::size_t k) {
    return results(k).error_bound <= how.accuracy && (slopes == 0 || rows((k + 1) * slopes - 1) <= how.slope_error);
  };
  std::size_t tried = 0;
  std::size_t found = 0;
  for (const Part& part : parts) {
    if (!plan_.tiers()[part.tier].based()) continue;
    tried += part.count;
    for (std::size_t k = part.begin; k < part.begin + part.count; ++k) found += proven(k) ? 1 : 0;
  }
  return tried > 0 && 4 * found >= 3 * tried;  // a start takes less than a quarter of a solve
}

}  // namespace octile::cuda
