// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/layout/batch_slices.hpp>

namespace octile::cuda {

template void deal_lanes(const Kokkos::Cuda&, const DealLanes<Kokkos::Cuda>&, std::size_t);

}  // namespace octile::cuda
