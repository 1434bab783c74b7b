// SPDX-License-Identifier: BSD-3-Clause
// What preparing graphs in Views on a GPU needs, whatever the types of labels are. A user's file does not compile it again.
#include <octile/prepared_graphs.hpp>

namespace octile::detail {

template void make(const Kokkos::Cuda&, Array<std::uint32_t, OnCuda>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<std::uint32_t*, OnCuda>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Array<double, OnCuda>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Array<float, OnCuda>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<double*, OnCuda>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Array<OctileHead, OnCuda>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<FaultRecord<FaultPlace>, OnCuda>&, const char*);
template void make(const Kokkos::Cuda&, Kokkos::View<OctileMask**, Kokkos::LayoutRight, OnCuda>&, const char*,
                   std::size_t, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, OnCuda>&, const char*,
                   std::size_t, std::size_t);

}  // namespace octile::detail
