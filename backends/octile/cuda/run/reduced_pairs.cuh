// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/cuda/device/buffers.cuh>
#include <octile/cuda/run/certifier.cuh>
#include <octile/cuda/start/projection.hpp>
#include <octile/solve.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace octile::cuda {

/// Certifies pairs of a set by the starts of both systems (`Engine::start_from`) alone, without a solve. A start x = F
/// C F'ᵀ is exact enough where a set's solutions lie near 16 directions a graph, as those of dense graphs do, and N x
/// takes no walk then.
class ReducedPairs {
 public:
  using Space = Kokkos::Cuda;

  /// Makes room for what `take_bases` writes: no allocation falls between the kernels that are timed. `weight_scales` has the factors of each
  /// graph's weights in the solver's set.
  void reserve_bases(const Space& space, const ProjectionSet<Space::memory_space>& projection, Certifier& certifier,
                     const std::vector<double>& weight_scales);

  /// Makes room for `certify` of `count` pairs, which otherwise makes its own.
  void reserve_pairs(const Space& space, std::size_t count);

  /// Queues what gives a certifier the bases of both systems, which must have been formed, and room made.
  void take_bases(const Space& space, const ProjectionSet<Space::memory_space>& projection, Certifier& certifier);

  /// Frees the bases as numbers, of which the certifier has formed its products then. The work of `take_bases` must be done.
  void forget_bases();

  /// What the certification of some pairs, all of whose graphs have bases, reads and writes.
  struct Certified {
    const Pair* pairs;
    const std::size_t* begins;  ///< as the certifier has them
    std::size_t count;
    PairResult* results;
    SlopeRows slopes{};            ///< if derivatives are formed
    detail::ReducedSteps steps{};  ///< which these take
  };

  /// Queues the certification of some pairs. q² is that of the kernel.
  void certify(const Space& space, const ProjectionSet<Space::memory_space>& projection, const Certifier& certifier,
               double q_squared, const Certified& of);

 private:
  Array<std::uint32_t> vertex_begin_;
  Array<double> weights_;               ///< of the bases' products
  std::array<Array<double>, 2> bases_;  ///< of x and of y, as `DeviceExactSet` takes them
  Array<std::uint32_t> coefficients_;   ///< of one system, as `solve_projected` leaves them
  Array<double> decoded_;               ///< of both, as `ReducedTrials` has them
  Array<double> scales_of_y_;           ///< one a graph: y is that of the stored systems times those of both
};

}  // namespace octile::cuda
