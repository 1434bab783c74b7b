// SPDX-License-Identifier: BSD-3-Clause
// What solves of graphs in Views on a GPU need, whatever the types of labels and base kernels are. A user's file does not compile it again.
#include <octile/cuda/batch_solver.hpp>
#include <octile/graph_factors.hpp>
#include <octile/graph_system.hpp>
#include <octile/joined_graphs.hpp>
#include <octile/native_batches.hpp>
#include <octile/placed_reciprocals.hpp>
#include <octile/portable/device_factors.hpp>
#include <octile/prepared_graphs.hpp>
#include <octile/solve_handle.hpp>

namespace octile {
namespace detail {

template void make(const Kokkos::Cuda&, Array<std::uint32_t, Kokkos::CudaSpace>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<std::uint32_t*, Kokkos::CudaSpace>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Array<double, Kokkos::CudaSpace>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Array<float, Kokkos::CudaSpace>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<double*, Kokkos::CudaSpace>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Array<OctileHead, Kokkos::CudaSpace>&, const char*, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<FaultRecord<FaultPlace>, Kokkos::CudaSpace>&, const char*);
template void make(const Kokkos::Cuda&, Kokkos::View<OctileMask**, Kokkos::LayoutRight, Kokkos::CudaSpace>&,
                   const char*, std::size_t, std::size_t);
template void make(const Kokkos::Cuda&, Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, Kokkos::CudaSpace>&,
                   const char*, std::size_t, std::size_t);

}  // namespace detail
namespace portable {

template void DeviceFactors<Kokkos::CudaSpace>::reserve(const Kokkos::Cuda&, std::size_t, std::size_t);
template void find_reach(const Kokkos::Cuda&, const detail::FindReach<Kokkos::CudaSpace>&,
                         const Kokkos::View<double, Kokkos::CudaSpace>&);
template void fill_factors(const Kokkos::Cuda&, const Array<double, Kokkos::CudaSpace>&,
                           const Kokkos::View<std::uint32_t*, Kokkos::CudaSpace>&,
                           const Kokkos::View<std::uint32_t*, Kokkos::CudaSpace>&, std::size_t,
                           const DeviceFactors<Kokkos::CudaSpace>&, const Array<double, Kokkos::CudaSpace>&);
template void fill_factors(const Kokkos::Cuda&, const Array<float, Kokkos::CudaSpace>&,
                           const Kokkos::View<std::uint32_t*, Kokkos::CudaSpace>&,
                           const Kokkos::View<std::uint32_t*, Kokkos::CudaSpace>&, std::size_t,
                           const DeviceFactors<Kokkos::CudaSpace>&, const Array<float, Kokkos::CudaSpace>&);

template void solve_from_next(const Kokkos::Cuda&, const FactoredSet<double, Kokkos::CudaSpace, NoLabel>&,
                              const octile::detail::PlacedReciprocals&, const Constant&,
                              const FactoredXmv<double, Kokkos::CudaSpace, true>&,
                              const Kokkos::View<const Pair*, Kokkos::CudaSpace>&,
                              const Kokkos::View<PairResult*, Kokkos::CudaSpace>&,
                              const Workspace<double, Kokkos::CudaSpace>&, const SolveOptions&, std::size_t,
                              const octile::detail::TakePart<Solutions<double, Kokkos::CudaSpace>>&, bool);
template void solve_from_next(const Kokkos::Cuda&, const FactoredSet<float, Kokkos::CudaSpace, NoLabel>&,
                              const octile::detail::PlacedReciprocals&, const Constant&,
                              const FactoredXmv<float, Kokkos::CudaSpace, true>&,
                              const Kokkos::View<const Pair*, Kokkos::CudaSpace>&,
                              const Kokkos::View<PairResult*, Kokkos::CudaSpace>&,
                              const Workspace<float, Kokkos::CudaSpace>&, const SolveOptions&, std::size_t,
                              const octile::detail::TakePart<Solutions<float, Kokkos::CudaSpace>>&, bool);

}  // namespace portable
namespace detail {

template std::int64_t largest_graph(const Kokkos::Cuda&, const BatchNumbers&, std::size_t);
template void pack(const Kokkos::Cuda&, const Packing<double, Kokkos::CudaSpace>&);
template void pack(const Kokkos::Cuda&, const Packing<float, Kokkos::CudaSpace>&);
template void compare_labels(const Kokkos::Cuda&, std::uint32_t, const CompareLabels<double, Kokkos::CudaSpace>&);
template void compare_labels(const Kokkos::Cuda&, std::uint32_t, const CompareLabels<float, Kokkos::CudaSpace>&);
template void compare_labels(const Kokkos::Cuda&, std::uint32_t, const CompareLabels<std::int32_t, Kokkos::CudaSpace>&);
template void empty_if_wrong(const Kokkos::Cuda&, const Packing<double, Kokkos::CudaSpace>&);
template void empty_if_wrong(const Kokkos::Cuda&, const Packing<float, Kokkos::CudaSpace>&);
template void join_unlabelled(const Kokkos::Cuda&, std::uint32_t, const Joining<double, Kokkos::CudaSpace>&);
template void join_unlabelled(const Kokkos::Cuda&, std::uint32_t, const Joining<float, Kokkos::CudaSpace>&);
template void list_pairs(const Kokkos::Cuda&, std::size_t, const ListPairs<SymmetricPairs, Kokkos::CudaSpace>&);
template void list_pairs(const Kokkos::Cuda&, std::size_t, const ListPairs<RectanglePairs, Kokkos::CudaSpace>&);
template void make_degrees(const Kokkos::Cuda&, std::int32_t, const MakeDegrees<Kokkos::CudaSpace, NotGiven>&);
template int needed_factors(const Kokkos::Cuda&, const portable::DeviceFactors<Kokkos::CudaSpace>&,
                            const Kokkos::View<KernelRecord, Kokkos::CudaSpace>&, double);
template void choose_road(const Kokkos::Cuda&, const Kokkos::View<int, Kokkos::CudaSpace>&,
                          const portable::DeviceFactors<Kokkos::CudaSpace>&, double, std::size_t, bool);
template class NativeBatches<Kokkos::Cuda, double>;
template class NativeBatches<Kokkos::Cuda, float>;

}  // namespace detail
namespace cuda {

template void deal_lanes(const Kokkos::Cuda&, const DealLanes<Kokkos::Cuda>&, std::size_t);
template class BatchSlices<double, NoLabel, Kokkos::Cuda>;
template class BatchSlices<double, float, Kokkos::Cuda>;
template class BatchSlices<double, NumberAndCode, Kokkos::Cuda>;
template class BatchSlices<float, NoLabel, Kokkos::Cuda>;
template class BatchSlices<float, float, Kokkos::Cuda>;
template class BatchSlices<float, NumberAndCode, Kokkos::Cuda>;

}  // namespace cuda

template class SolveHandle<Kokkos::Cuda, double>;
template class SolveHandle<Kokkos::Cuda, float>;
template cuda::BatchSolver<double, NoLabel, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, double>::native();
template cuda::BatchSolver<double, float, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, double>::native();
template cuda::BatchSolver<double, NumberAndCode, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, double>::native();
template cuda::BatchSolver<float, NoLabel, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, float>::native();
template cuda::BatchSolver<float, float, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, float>::native();
template cuda::BatchSolver<float, NumberAndCode, Kokkos::Cuda>& SolveHandle<Kokkos::Cuda, float>::native();

}  // namespace octile
