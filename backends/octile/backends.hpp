// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <octile/gram.hpp>

namespace octile {

/// One backend compiled into this library.
struct Backend {
  std::string_view name;         ///< as the caller chooses it, such as "portable:openmp"
  std::string_view description;  ///< one line
  bool deterministic;            ///< equal bits from run to run
  bool exact;                    ///< no iteration: a direct factorization
  bool single_precision;         ///< has a float32 form
  bool available;                ///< can run here (a GPU backend needs a GPU)
  std::unique_ptr<PairSolver> (*make)(std::span<const Graph>, const KernelSpec&, Precision, const SolveOptions&);
};

/// The one list of backends, the judge first.
std::span<const Backend> backends();

/// The backend of that name; "portable" is the portable backend on the fastest
/// execution space available. Throws `Error` that lists the names.
const Backend& find_backend(std::string_view name);

/// A solver for the pairs of this set. Throws `Error` for labels that the kernel
/// needs and a graph lacks, or a precision that the backend has not.
/// Kokkos must be initialized, but for the reference backend.
std::unique_ptr<PairSolver> make_pair_solver(std::string_view backend, std::span<const Graph> graphs,
                                             const KernelSpec& kernel, Precision precision,
                                             const SolveOptions& options);

}  // namespace octile
