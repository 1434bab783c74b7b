// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/ranks.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

namespace octile::app {

bool begun_with_others() {
  // Of Open MPI, of MPICH and its relatives, and of Slurm with either.
  constexpr std::array sizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (const char* const name : sizes) {
    const char* const text = std::getenv(name);
    if (text != nullptr) return std::string_view(text) != "1";
  }
  return false;
}

}  // namespace octile::app
