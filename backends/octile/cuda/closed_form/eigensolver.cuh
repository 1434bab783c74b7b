// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <cusolverDn.h>

namespace octile::cuda {

/// cuSOLVER's decompositions of many symmetric matrices of one size, in double, on an instance.
class Eigensolver {
 public:
  /// Matrices of n × n, column-major, one behind the other.
  struct Batch {
    std::int64_t n;
    std::int64_t count;
  };

  /// The most elements that a batch may have: cuSOLVER counts them in 32 bits.
  static constexpr std::int64_t most_elements = INT32_MAX;

  explicit Eigensolver(const Kokkos::Cuda& space);
  Eigensolver(const Eigensolver&) = delete;
  Eigensolver& operator=(const Eigensolver&) = delete;
  ~Eigensolver();

  /// Bytes of device memory that a batch takes, beside its matrices and eigenvalues. `anywhere` is any address on the
  /// device, and is not read.
  std::size_t workspace(Batch batch, const double* anywhere) const { return workspaces(batch, anywhere).first; }

  /// Queues a batch. Its matrices become their eigenvectors, in columns; n eigenvalues each rise; `information`, an integer
  /// each, is 0 where the decomposition converged. The instance is to be waited for before this object goes.
  void enqueue(Batch batch, double* matrices, double* eigenvalues, int* information, void* workspace);

 private:
  /// Bytes on the device and on the host.
  std::pair<std::size_t, std::size_t> workspaces(Batch batch, const double* anywhere) const;

  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
  std::vector<std::vector<unsigned char>> on_host_;  ///< work space of what was queued
};

}  // namespace octile::cuda
