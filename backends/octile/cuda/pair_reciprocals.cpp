// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/pair_reciprocals.cuh>

namespace octile::cuda {

const double* ReciprocalsByPair::form(const Kokkos::Cuda& space, const ListedPairs<Kokkos::CudaSpace>& pairs,
                                      std::size_t unknowns) {
  grow(space, values_, "pair_reciprocals", unknowns);
  reciprocals_of_pairs(space, kernel_, pairs, values_.data());
  return values_.data();
}

}  // namespace octile::cuda
