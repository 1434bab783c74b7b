// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <cusolverDn.h>

namespace octile::cuda {

/// Eigendecompositions by cuSOLVER: many symmetric matrices of one size, in double, on one execution-space instance.
class Eigensolver {
 public:
  /// Matrices of n × n, column-major, one behind the other.
  struct Batch {
    std::int64_t n;
    std::int64_t count;
  };

  /// A batch may have at most this many elements, since cuSOLVER counts them in 32 bits.
  static constexpr std::int64_t most_elements = INT32_MAX;

  explicit Eigensolver(const Kokkos::Cuda& space);
  Eigensolver& operator=(Eigensolver&&) = delete;  // neither copied nor moved
  ~Eigensolver();

  /// Bytes of device memory that a batch takes besides its matrices and eigenvalues. `anywhere` is any device address;
  /// nothing is read from it.
  std::size_t workspace(Batch batch, const double* anywhere) const { return workspaces(batch, anywhere).first; }

  /// Queues a batch. Each matrix is overwritten by its eigenvectors, one a column; its n eigenvalues ascend. `information` has
  /// one integer a matrix, 0 if the decomposition converged. Fence the instance before this object is destroyed.
  void enqueue(Batch batch, double* matrices, double* eigenvalues, int* information, void* workspace);

 private:
  /// Bytes of work space: {on the device, on the host}.
  std::pair<std::size_t, std::size_t> workspaces(Batch batch, const double* anywhere) const;

  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
  std::vector<std::vector<unsigned char>> on_host_;  ///< host work space of the queued batches
};

}  // namespace octile::cuda
