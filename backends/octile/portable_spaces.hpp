// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/gram.hpp>

#include <memory>
#include <span>

// The portable backend on each execution space that Kokkos was built with: one
// translation unit each, since a solver is compiled for many kernel types.
namespace octile::portable {

std::unique_ptr<PairSolver> make_serial(std::span<const Graph>, const KernelSpec&, Precision, const SolveOptions&);
std::unique_ptr<PairSolver> make_openmp(std::span<const Graph>, const KernelSpec&, Precision, const SolveOptions&);
std::unique_ptr<PairSolver> make_cuda(std::span<const Graph>, const KernelSpec&, Precision, const SolveOptions&);

}  // namespace octile::portable
