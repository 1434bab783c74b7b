// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace octile::bench {

/// The peak rate of one kind of work on a machine, as reached by code that is compiled like ours.
class Ceiling {
 public:
  virtual ~Ceiling() = default;
  /// Seconds of one launch, with a fence on both sides.
  virtual double seconds() = 0;
  /// The work of a launch in units: operations, bytes, or evaluations.
  virtual double amount() const = 0;
  /// What is wrong with the result of the last launch; empty if it is correct.
  virtual std::string fault() = 0;
};

/// One ceiling of one execution space.
struct CeilingEntry {
  std::string name;   ///< "memory/access:read"
  std::string unit;   ///< "FLOP/s", "bytes/s" or "evaluations/s"
  std::string space;  ///< Kokkos' name
  std::function<std::unique_ptr<Ceiling>()> make;
};

/// The ceilings of the default execution space and, if that is a GPU, of the host's:
///
///     fma/scalar:f32, fma/scalar:f64   multiply-adds in registers, 2 operations each
///     exp/scalar:f32                   exponentials in registers
///     memory/access:read, :copy        an array that no cache holds
///     l2/access:read                   an array that the L2 cache holds: 16 MiB of a GPU, 256 KiB a host thread
///     scratch/access:read              team scratch: shared memory of a GPU, 16 KiB of a host thread's L1 cache
///
/// Launches take some milliseconds. With `brief`, for smoke tests, they take a fraction of that and measure little.
std::vector<CeilingEntry> ceilings(bool brief);

/// The roofs of the default execution space, measured when asked for.
struct Roofs {
  double fma_f32 = 0;  ///< operations a second
  double fma_f64 = 0;
  double memory = 0;  ///< bytes a second
  double l2 = 0;
  double scratch = 0;
};

/// Measures the roofs by the best of three launches each. Throws `Error` if a result is wrong.
Roofs measure_roofs(bool brief);

/// Measures the roofs and writes them to the context of the JSON as "peak_…".
Roofs measure_roofs_into_context(bool brief);

}  // namespace octile::bench
