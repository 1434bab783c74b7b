// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace octile::detail {

/// Adds corrections to trial solutions, a team a pair. What comes out below 0 becomes 0.
template <class MemorySpace>
struct Correct {
  Array<std::uint32_t, MemorySpace> vertex_begin;
  const Pair* pairs;
  const std::size_t* begin;
  TrialValues<double>* trials;
  bool both;
  Corrections corrections;
  PairResult* results;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = member.league_rank();
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      results[k].iterations += corrections.solved_x[k].iterations;
      if (both) results[k].iterations += corrections.solved_y[k].iterations;
    });
    const auto size = [&](std::int32_t graph) {
      return static_cast<int>(vertex_begin(graph + 1) - vertex_begin(graph));
    };
    const TrialValues<double> scale = corrections.scales[k];
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, size(pairs[k].first) * size(pairs[k].second)), [&](int e) {
      const std::size_t at = begin[k] + static_cast<std::size_t>(e);
      const TrialValues<double> trial = trials[at];
      const TrialValues<float> correction = corrections.values[at];
      const auto corrected = [](double value, double factor, float by) {
        const double sum = value + factor * static_cast<double>(by);
        return sum > 0 ? sum : 0.0;
      };
      trials[at] = {corrected(trial.x, scale.x, correction.x),
                    both ? corrected(trial.y, scale.y, correction.y) : trial.y};
    });
  }
};

}  // namespace octile::detail
