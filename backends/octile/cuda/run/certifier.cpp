// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/certifier.cuh>

#include <octile/on_device/certificate.hpp>

#include <algorithm>
#include <memory>

namespace octile::cuda {

Certifier::Certifier(const Kokkos::Cuda& space, const ExactSet& set, const std::vector<VertexOrder>& orders,
                     const std::vector<double>& scales, std::size_t bytes_for_reduction)
    : set_(&set),
      x_suffices_(std::ranges::all_of(set.graphs().start_over_degree, [](double ratio) { return ratio > 0; })),
      device_(std::make_unique<DeviceExactSet<Kokkos::Cuda::memory_space>>(space, set, orders, scales,
                                                                           bytes_for_reduction)) {}

Certifier::~Certifier() = default;

void Certifier::certify(const Kokkos::Cuda& space, const DeviceTrials<float>& trials, std::size_t count, bool few,
                        PairResult* results, const PairResult* adjoints, const SlopeRows& slopes) const {
  device_->certify(space, trials, count, few, results, adjoints, slopes);
}

void Certifier::certify(const Kokkos::Cuda& space, const DeviceTrials<double>& trials, std::size_t count, bool few,
                        PairResult* results, const PairResult* adjoints, const SlopeRows& slopes,
                        const DeviceResiduals& left_x, const DeviceResiduals& left_y) const {
  device_->certify(space, trials, count, few, results, adjoints, slopes, left_x, left_y);
}

bool Certifier::by_tiles() const { return device_->by_tiles(); }

bool Certifier::by_rows() const { return device_->by_rows(); }

bool Certifier::reduces(std::size_t weights) const { return device_->reduces(weights); }

void Certifier::reserve_bases(const Kokkos::Cuda& space, const BasisWeights<Kokkos::CudaSpace>& weights) {
  device_->reserve_bases(space, weights);
}

void Certifier::take_basis(const Kokkos::Cuda& space, RightHandSide side,
                           const octile::Array<double, Kokkos::CudaSpace>& basis) {
  device_->take_basis(space, side, basis);
  bases_[side == RightHandSide::stopping ? 0 : 1] = true;
}

void Certifier::certify_reduced(const Kokkos::Cuda& space, const ReducedTrials& trials, std::size_t count,
                                PairResult* results, const SlopeRows& slopes) const {
  device_->certify_reduced(space, trials, count, results, slopes);
}

void Certifier::correct(const Kokkos::Cuda& space, const DeviceTrials<double>& trials, std::size_t count,
                        TrialValues<double>* values, const Corrections& corrections, PairResult* results) const {
  device_->correct(space, trials, count, values, corrections, results);
}

}  // namespace octile::cuda
