// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/lowering_plan.hpp>
#include <octile/solvers/setup.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

// The lowerings that have a product of their own, instantiated explicitly for each execution space.
namespace octile::portable {

/// The fastest host space that the lowerings are compiled for.
#ifdef KOKKOS_ENABLE_OPENMP
using FastestHostSpace = Kokkos::OpenMP;
#else
using FastestHostSpace = Kokkos::Serial;
#endif

/// The space for host work: the execution space itself if it runs on the host, else the fastest host space.
template <class ExecutionSpace>
using HostSpaceOf =
    std::conditional_t<Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible,
                       ExecutionSpace, FastestHostSpace>;

/// A solver that uses the factors of the plan. Each space has a file of instances/.
template <class ExecutionSpace>
std::unique_ptr<PairSolver> make_factored(const ExecutionSpace& space, const SolverSetup& setup,
                                          const plan::LoweringPlan& plan);

/// A solver that uses the spectra of the graphs. It forms them itself, on the host and in double. closed_form.cpp has the host spaces.
template <class HostSpace>
std::unique_ptr<PairSolver> make_closed_form(const HostSpace& space, const SolverSetup& setup,
                                             const plan::LoweringPlan& plan);

}  // namespace octile::portable
