// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "output/hdf5_matrix.hpp"
#include "output/selected_pairs.hpp"
#include "output/summary.hpp"
#include "tiles/matrix_files.hpp"

namespace octile::app {

/// What is said of a matrix beside its values and their bounds.
struct DescribedMatrix {
  std::string document;  ///< what would stand beside a .npy file
  std::vector<std::size_t> shape;
  const Selection* selection = nullptr;  ///< null if it is of all pairs
  const Summary* summary = nullptr;
};

/// What a file of HDF5 is made of, from the files of the tiles or from all values and bounds. These have to stay until it is written.
Hdf5Contents hdf5_contents(const DescribedMatrix& matrix, const MatrixFiles& files);
Hdf5Contents hdf5_contents(const DescribedMatrix& matrix, std::span<const double> values,
                           std::span<const double> bounds);

}  // namespace octile::app
