// SPDX-License-Identifier: BSD-3-Clause
// What solves of graphs in Views on a GPU need, whatever the types of labels and base kernels are. A user's file does not compile it again.
#include <octile/graph_factors.hpp>
#include <octile/native_batches.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/solve_handle.hpp>

namespace octile {
namespace portable {

using Space = Kokkos::Cuda;
using Memory = Kokkos::CudaSpace;
using Numbers = Kokkos::View<std::uint32_t*, Memory>;

template void DeviceFactors<Memory>::reserve(const Space&, std::size_t, std::size_t);
template void find_reach(const Space&, const detail::FindReach<Memory>&, const Kokkos::View<double, Memory>&);
template void fill_factors(const Space&, const Array<double, Memory>&, const Numbers&, const Numbers&, std::size_t,
                           const DeviceFactors<Memory>&, const Array<double, Memory>&);
template void fill_factors(const Space&, const Array<float, Memory>&, const Numbers&, const Numbers&, std::size_t,
                           const DeviceFactors<Memory>&, const Array<float, Memory>&);

}  // namespace portable
namespace detail {

template int needed_factors(const Kokkos::Cuda&, const portable::DeviceFactors<Kokkos::CudaSpace>&,
                            const Kokkos::View<KernelRecord, Kokkos::CudaSpace>&, double);
template void choose_road(const Kokkos::Cuda&, const Kokkos::View<int, Kokkos::CudaSpace>&,
                          const portable::DeviceFactors<Kokkos::CudaSpace>&, double, std::size_t, bool);
template class NativeBatches<Kokkos::Cuda, double>;
template class NativeBatches<Kokkos::Cuda, float>;

}  // namespace detail

template class SolveHandle<Kokkos::Cuda, double>;
template class SolveHandle<Kokkos::Cuda, float>;

}  // namespace octile
