// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/lowerings.hpp>
#include <octile/pair_solver.hpp>
#include <octile/precision.hpp>
#include <octile/primitives.hpp>
#include <octile/problem.hpp>
#include <octile/solver_setup.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octile {

/// A backend as a caller chooses it. Which of them a build has, `backends()` tells.
enum class BackendId : std::int32_t {
  automatic,        ///< the fastest of the build
  portable,         ///< the portable backend on its fastest execution space
  reference,        ///< the judge
  assembled,        ///< the product matrix formed and kept
  portable_serial,  ///< the portable backend on one thread,
  portable_openmp,  ///< on the host's threads,
  portable_cuda,    ///< and on a GPU
  cuda,             ///< the native one
};

/// One backend compiled into this library.
struct Backend {
  BackendId id;
  std::string_view name;           ///< as it is chosen on the command line, such as "portable:openmp"
  std::string_view description;    ///< one line
  bool deterministic;              ///< equal bits from run to run
  bool exact;                      ///< no iteration: a direct factorization
  bool single_precision;           ///< has a float32 form
  bool available;                  ///< can run here (a GPU backend needs a GPU)
  bool all_steps;                  ///< has no primitive that goes without one of `TileSteps`
  bool lowers;                     ///< has the lowerings (lowerings.hpp), not `automatic` alone
  bool automatic_by_octiles;       ///< its automatic choice of a primitive works octile by octile
  bool (*takes)(PrimitiveFamily);  ///< whether it has the primitives of a family (`automatic` too) at all
  std::unique_ptr<PairSolver> (*make)(const SolverSetup&);

  /// Whether it has a primitive in a precision.
  bool has(const Primitive& primitive, Precision precision) const;
  /// Whether the lowering can be asked of it; all have `automatic`, and those without others solve as they always do.
  bool has(Lowering lowering) const;
  /// Whether fewer octiles are less work for it with this family.
  bool works_by_octiles(PrimitiveFamily family) const;
};

/// The one list of backends, the judge first.
std::span<const Backend> backends();

/// The backend that a choice means here. Throws `Error` that lists the names where this build does not have it.
const Backend& find_backend(BackendId id);

/// "auto", "portable", or the name of a backend that this build has.
std::string_view backend_name(BackendId id);

/// The choice of that name. Throws `Error` that lists the names of this build.
BackendId parse_backend(std::string_view name);

/// A solver for the pairs of this set, by a primitive, within so many bytes, with its
/// edge kernel lowered so; with the set's cost model, if it is at hand. Throws `Error` for a backend that this build has not,
/// labels that the kernel needs and a graph lacks, a precision, a primitive or a
/// lowering that the backend has not or that does not go with kernel or primitive,
/// and a set that does not fit.
/// Kokkos must be initialized, but for the reference backend.
std::unique_ptr<PairSolver> make_pair_solver(BackendId backend, std::span<const Graph> graphs, const KernelSpec& kernel,
                                             Precision precision, const SolveOptions& options,
                                             const Primitive& primitive = {}, std::size_t memory = default_memory,
                                             Lowering lowering = Lowering::automatic, const CostModel* cost = nullptr);

}  // namespace octile
