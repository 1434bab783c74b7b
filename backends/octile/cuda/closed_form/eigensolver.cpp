// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda/closed_form/eigensolver.cuh>

#include <octile/error.hpp>

#include <fmt/format.h>

namespace octile::cuda {
namespace {

void require_solved(cusolverStatus_t status, const char* what) {
  if (status != CUSOLVER_STATUS_SUCCESS) {
    throw Error(fmt::format("cuSOLVER: {}: status {}", what, static_cast<int>(status)));
  }
}

}  // namespace

Eigensolver::Eigensolver(const Kokkos::Cuda& space) {
  require_solved(cusolverDnCreate(&handle_), "a handle");
  require_solved(cusolverDnSetStream(handle_, space.cuda_stream()), "a stream");
  require_solved(cusolverDnCreateParams(&parameters_), "parameters");
}

Eigensolver::~Eigensolver() {
  if (parameters_ != nullptr) cusolverDnDestroyParams(parameters_);
  if (handle_ != nullptr) cusolverDnDestroy(handle_);
}

std::pair<std::size_t, std::size_t> Eigensolver::workspaces(Batch batch, const double* anywhere) const {
  std::size_t on_device = 0;
  std::size_t on_host = 0;
  require_solved(cusolverDnXsyevBatched_bufferSize(handle_, parameters_, CUSOLVER_EIG_MODE_VECTOR,
                                                   CUBLAS_FILL_MODE_LOWER, batch.n, CUDA_R_64F, anywhere, batch.n,
                                                   CUDA_R_64F, anywhere, CUDA_R_64F, &on_device, &on_host, batch.count),
                 "work space");
  return {on_device, on_host};
}

void Eigensolver::enqueue(Batch batch, double* matrices, double* eigenvalues, int* information, void* workspace) {
  const auto [on_device, on_host] = workspaces(batch, matrices);
  on_host_.emplace_back(on_host);
  require_solved(cusolverDnXsyevBatched(handle_, parameters_, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, batch.n,
                                        CUDA_R_64F, matrices, batch.n, CUDA_R_64F, eigenvalues, CUDA_R_64F, workspace,
                                        on_device, on_host_.back().data(), on_host, information, batch.count),
                 "eigendecompositions");
}

}  // namespace octile::cuda
