// SPDX-License-Identifier: BSD-3-Clause
#include <octile/cuda.hpp>
#include <octile/cuda_solver.cuh>

namespace octile::cuda {

std::unique_ptr<PairSolver> make_delta_solver(const SolverSetup& setup, const LoweredSet& lowered) {
  return make_native<std::uint32_t>(setup, lowered, FastDelta{static_cast<float>(lowered.edge.program[0].parameter)},
                                    [&lowered](std::size_t g, std::size_t e) { return lowered.edge.ids[g][e]; });
}

}  // namespace octile::cuda
