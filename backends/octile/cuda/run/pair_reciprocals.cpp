// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/run/pair_reciprocals.cuh>

namespace octile::cuda {

void ReciprocalsByPair::exchange_labels(const Kokkos::Cuda& space, const Array<std::uint32_t>& vertex_begin,
                                        Array<std::uint32_t>& labels) {
  vertex_begin_ = vertex_begin;
  records_ = labels;
  const Array<std::uint32_t> places(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "octile::cuda::vertex_places"), labels.extent(0));
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  const auto graphs = static_cast<int>(vertex_begin.extent(0)) - 1;
  Kokkos::parallel_for(
      "octile::cuda::vertex_places", Policy(space, graphs, 32), KOKKOS_LAMBDA(const Policy::member_type& member) {
        const std::uint32_t begin = vertex_begin(member.league_rank());
        const std::uint32_t end = vertex_begin(member.league_rank() + 1);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, begin, end),
                             [&](const std::uint32_t v) { places(v) = v - begin; });
      });
  space.fence("octile::cuda::exchange_labels");
  labels = places;
}

const double* ReciprocalsByPair::form(const Kokkos::Cuda& space, const Pair* pairs, const std::size_t* begin,
                                      std::size_t count, std::size_t unknowns) {
  grow(space, values_, "pair_reciprocals", unknowns);
  reciprocals_of_pairs(space, kernel_, ListedPairs<Kokkos::CudaSpace>{vertex_begin_, records_, pairs, begin, count},
                       values_.data());
  return values_.data();
}

}  // namespace octile::cuda
