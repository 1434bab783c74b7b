// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/base/array.hpp>
#include <octile/certify/exact_set.hpp>
#include <octile/graphs/vertex_order.hpp>
#include <octile/on_device/basis.hpp>
#include <octile/on_device/trials.hpp>
#include <octile/request.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace octile::cuda {

/// Certifies the values of pairs whose systems the native kernels have solved. A file of its own has its kernels, once for
/// all products.
class Certifier {
 public:
  /// `set` must outlive this; `orders` and `scales` of its weights are those of the set that the
  /// kernels read. `bytes_for_reduction` is as `DeviceExactSet` has it.
  Certifier(const Kokkos::Cuda& space, const ExactSet& set, const std::vector<VertexOrder>& orders,
            const std::vector<double>& scales, std::size_t bytes_for_reduction = 0);
  Certifier& operator=(Certifier&&) = delete;  // neither copied nor moved
  ~Certifier();

  /// The set that was given, by which a solver knows whether it is still the one asked for.
  const ExactSet* set() const { return set_; }

  /// Whether every pair's y is proportional to its x, so that the adjoint system needs no solve.
  bool x_suffices() const { return x_suffices_; }

  /// Queues `DeviceExactSet::certify`.
  void certify(const Kokkos::Cuda& space, const DeviceTrials<float>& trials, std::size_t count, bool few,
               PairResult* results, const PairResult* adjoints, const SlopeRows& slopes) const;
  /// Queues `DeviceExactSet::certify` of trials in double, which are corrected: leaves their residuals in `left_x` and
  /// `left_y`.
  void certify(const Kokkos::Cuda& space, const DeviceTrials<double>& trials, std::size_t count, bool few,
               PairResult* results, const PairResult* adjoints, const SlopeRows& slopes,
               const DeviceResiduals& left_x = {}, const DeviceResiduals& left_y = {}) const;

  /// As the functions of these names in `DeviceExactSet`.
  bool by_tiles() const;
  bool by_rows() const;
  bool reduces(std::size_t weights = 0) const;
  /// Whether it was given the bases of both systems.
  bool has_bases() const { return bases_[0] && bases_[1]; }
  void reserve_bases(const Kokkos::Cuda& space, const BasisWeights<Kokkos::CudaSpace>& weights);
  void take_basis(const Kokkos::Cuda& space, RightHandSide side, const octile::Array<double, Kokkos::CudaSpace>& basis);
  void certify_reduced(const Kokkos::Cuda& space, const ReducedTrials& trials, std::size_t count, PairResult* results,
                       const SlopeRows& slopes) const;

  /// Queues `DeviceExactSet::correct`.
  void correct(const Kokkos::Cuda& space, const DeviceTrials<double>& trials, std::size_t count,
               TrialValues<double>* values, const Corrections& corrections, PairResult* results) const;

 private:
  const ExactSet* set_;
  bool x_suffices_;
  std::array<bool, 2> bases_{};  ///< of x and of y
  std::unique_ptr<DeviceExactSet<Kokkos::Cuda::memory_space>> device_;
};

}  // namespace octile::cuda
