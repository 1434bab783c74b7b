// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/plan/lowering_plan.hpp>
#include <octile/solver_setup.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

// The lowerings that have a product of their own, by an overload for each execution space; a translation unit for each.
namespace octile::portable {

/// The fastest space of the host that these are compiled for.
#ifdef KOKKOS_ENABLE_OPENMP
using FastestHostSpace = Kokkos::OpenMP;
#else
using FastestHostSpace = Kokkos::Serial;
#endif

/// Where the host works for an execution space: there, or on the host's fastest.
template <class ExecutionSpace>
using HostSpaceOf =
    std::conditional_t<Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible,
                       ExecutionSpace, FastestHostSpace>;

/// A solver by the factors of the plan.
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

/// A solver by the spectra of the graphs, which are formed here: on the host, in double.
#ifdef KOKKOS_ENABLE_SERIAL
std::unique_ptr<PairSolver> make_closed_form(const Kokkos::Serial& space, const SolverSetup& setup,
                                             const plan::LoweringPlan& plan);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
std::unique_ptr<PairSolver> make_closed_form(const Kokkos::OpenMP& space, const SolverSetup& setup,
                                             const plan::LoweringPlan& plan);
#endif

}  // namespace octile::portable
