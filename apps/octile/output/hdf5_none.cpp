// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "output/failures.hpp"
#include "output/hdf5_matrix.hpp"

namespace octile::app {

void require_hdf5(const std::string& path) {
  throw UsageError(
      fmt::format("{}: is HDF5, which this octile is built without; allowed is FILE.npy, or a build with "
                  "-DOCTILE_WITH_HDF5=ON (Debian's libhdf5-dev)",
                  path));
}

struct Hdf5Matrix::File {};

void write_hdf5(Outputs&, const std::string& path, const Hdf5Contents&) { require_hdf5(path); }
Hdf5Matrix::Hdf5Matrix(const std::string& path) { require_hdf5(path); }
Hdf5Matrix::~Hdf5Matrix() = default;
void Hdf5Matrix::read(Part, std::size_t, std::size_t, std::span<double>) const {}
std::size_t Hdf5Matrix::verify() const { return 0; }

}  // namespace octile::app
