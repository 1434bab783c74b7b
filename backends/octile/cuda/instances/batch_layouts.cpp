// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/batch_solver.hpp>

namespace octile::cuda {

template void deal_lanes(const Kokkos::Cuda&, const DealLanes<Kokkos::Cuda>&, std::size_t);
template class BatchSlices<double, NoLabel, Kokkos::Cuda>;
template class BatchSlices<double, float, Kokkos::Cuda>;
template class BatchSlices<double, NumberAndCode, Kokkos::Cuda>;
template class BatchSlices<float, NoLabel, Kokkos::Cuda>;
template class BatchSlices<float, float, Kokkos::Cuda>;
template class BatchSlices<float, NumberAndCode, Kokkos::Cuda>;

}  // namespace octile::cuda
