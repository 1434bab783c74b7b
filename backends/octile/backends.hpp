// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/gram.hpp>
#include <octile/primitives.hpp>
#include <octile/solver_setup.hpp>

namespace octile {

/// One backend compiled into this library.
struct Backend {
  std::string_view name;           ///< as the caller chooses it, such as "portable:openmp"
  std::string_view description;    ///< one line
  bool deterministic;              ///< equal bits from run to run
  bool exact;                      ///< no iteration: a direct factorization
  bool single_precision;           ///< has a float32 form
  bool available;                  ///< can run here (a GPU backend needs a GPU)
  bool automatic_by_octiles;       ///< its automatic choice of a primitive works octile by octile
  bool (*takes)(PrimitiveFamily);  ///< whether it has the primitives of a family (`automatic` too) at all
  std::unique_ptr<PairSolver> (*make)(const SolverSetup&);

  /// Whether it has the primitives of a family in a precision.
  bool has(PrimitiveFamily family, Precision precision) const;
  /// Whether fewer octiles are less work for it with this family.
  bool works_by_octiles(PrimitiveFamily family) const;
};

/// The one list of backends, the judge first.
std::span<const Backend> backends();

/// The backend of that name; "auto" is the fastest of this build, "portable" the
/// portable backend on its fastest execution space. Throws `Error` that lists the names.
const Backend& find_backend(std::string_view name);

/// A solver for the pairs of this set, by a primitive (`parse_primitive`), within so
/// many bytes. Throws `Error` for labels that the kernel needs and a graph lacks, a
/// precision or a primitive that the backend has not, and a set that does not fit.
/// Kokkos must be initialized, but for the reference backend.
std::unique_ptr<PairSolver> make_pair_solver(std::string_view backend, std::span<const Graph> graphs,
                                             const KernelSpec& kernel, Precision precision, const SolveOptions& options,
                                             std::string_view primitive = "auto", std::size_t memory = default_memory);

}  // namespace octile
