// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <octile/graph.hpp>
#include <octile/lowerings.hpp>
#include <octile/precision.hpp>
#include <octile/primitives.hpp>
#include <octile/problem.hpp>
#include <octile/solvers/pair_solver.hpp>
#include <octile/solvers/setup.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octile {

/// The backends that a caller can choose. `backends()` tells which of them a build has.
enum class BackendId : std::int32_t {
  automatic,        ///< the fastest of the build
  portable,         ///< the portable backend on its fastest execution space
  reference,        ///< the dense reference
  assembled,        ///< the product matrix is formed and kept
  portable_serial,  ///< the portable backend on one thread
  portable_openmp,  ///< the portable backend on the host's threads
  portable_cuda,    ///< the portable backend on a GPU
  cuda,             ///< the native CUDA backend
};

/// What a backend is of.
enum class BackendKind : std::int32_t {
  reference,  ///< what judges the others
  assembled,  ///< the product matrix, by a library for sparse matrices
  portable,   ///< Kokkos teams
  native,     ///< kernels for GPUs of one maker
};

/// One backend compiled into this library.
struct Backend {
  BackendId id;                    ///< its own choice, neither `automatic` nor `portable`
  std::string_view name;           ///< as it is chosen on the command line, such as "portable:openmp"
  std::string_view description;    ///< one line
  BackendKind kind;                ///< what it is of: the reference, assembled, portable or native
  bool on_gpu;                     ///< solves on a GPU
  bool deterministic;              ///< equal bits from run to run
  bool exact;                      ///< no iteration: a direct factorization
  bool single_precision;           ///< supports float32
  bool available;                  ///< can run here (a GPU backend needs a GPU)
  bool all_steps;                  ///< all of `TileSteps` are always on; none can be left out
  bool lowers;                     ///< has all lowerings (lowerings.hpp), not only `automatic`
  bool automatic_by_octiles;       ///< its automatic choice of a primitive works octile by octile
  bool (*takes)(PrimitiveFamily);  ///< whether it has any primitive of a family (or of `automatic`)
  std::unique_ptr<PairSolver> (*make)(const SolverSetup&);  ///< makes a solver for the pairs of the graphs of a setup

  /// Whether it has a primitive in a precision.
  bool has(const Primitive& primitive, Precision precision) const;
  /// Whether it supports a lowering. All backends support `automatic`; those without a choice always solve in one way.
  bool has(Lowering lowering) const;
  /// Whether fewer octiles mean less work with this family.
  bool works_by_octiles(PrimitiveFamily family) const;
};

/// The one list of backends, the reference first.
std::span<const Backend> backends();

/// The backend that a choice means in this build. Throws `Error` that lists the names if this build does not have it.
const Backend& find_backend(BackendId id);

/// "auto", "portable", or the name of a backend that this build has.
std::string_view backend_name(BackendId id);

/// The choice of that name. Throws `Error` that lists the names of this build.
BackendId parse_backend(std::string_view name);

/// A solver for the pairs of a set, by the given primitive and lowering, within `memory` bytes. The set's cost model, and what its vertex
/// kernel is evaluated by, are made if none are given. Throws `Error` for a backend that this build lacks, for
/// labels that the kernel needs and a graph lacks, for a precision, a primitive or a
/// lowering that the backend lacks or that kernel or primitive do not allow,
/// and for a set that does not fit.
/// Kokkos must be initialized, except for the reference backend; `Error` says so where it is not.
std::unique_ptr<PairSolver> make_pair_solver(BackendId backend, std::span<const Graph> graphs, const KernelSpec& kernel,
                                             Precision precision, const SolveOptions& options,
                                             const Primitive& primitive = {}, std::size_t memory = default_memory,
                                             Lowering lowering = Lowering::automatic, const CostModel* cost = nullptr,
                                             SharedTables* vertex_tables = nullptr);

}  // namespace octile
