// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/lowering_plan.hpp>
#include <octile/solver_setup.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

// The lowerings that have a product of their own: an overload and a translation unit for each execution space.
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

/// A solver that uses the factors of the plan.
#ifdef KOKKOS_ENABLE_SERIAL
std::unique_ptr<PairSolver> make_factored(const Kokkos::Serial& space, const SolverSetup& setup,
                                          const plan::LoweringPlan& plan);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
std::unique_ptr<PairSolver> make_factored(const Kokkos::OpenMP& space, const SolverSetup& setup,
                                          const plan::LoweringPlan& plan);
#endif
#ifdef KOKKOS_ENABLE_CUDA
std::unique_ptr<PairSolver> make_factored(const Kokkos::Cuda& space, const SolverSetup& setup,
                                          const plan::LoweringPlan& plan);
#endif

/// A solver that uses the spectra of the graphs. It forms them itself, on the host and in double.
#ifdef KOKKOS_ENABLE_SERIAL
std::unique_ptr<PairSolver> make_closed_form(const Kokkos::Serial& space, const SolverSetup& setup,
                                             const plan::LoweringPlan& plan);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
std::unique_ptr<PairSolver> make_closed_form(const Kokkos::OpenMP& space, const SolverSetup& setup,
                                             const plan::LoweringPlan& plan);
#endif

}  // namespace octile::portable
