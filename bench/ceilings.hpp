// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace octile::bench {

/// What a machine can do at most of one thing, as code compiled like ours reaches it.
class Ceiling {
 public:
  virtual ~Ceiling() = default;
  /// Seconds of one launch, with a fence on both sides.
  virtual double seconds() = 0;
  /// What a launch does, in units: operations, bytes, or evaluations.
  virtual double amount() const = 0;
  /// What is wrong with what the last launch computed; empty where all is well.
  virtual std::string fault() = 0;
};

/// One ceiling of one execution space.
struct CeilingEntry {
  std::string name;   ///< "memory/access:read"
  std::string unit;   ///< "FLOP/s", "bytes/s" or "evaluations/s"
  std::string space;  ///< Kokkos' name
  std::function<std::unique_ptr<Ceiling>()> make;
};

/// The ceilings of every execution space that Kokkos was built with (the default one and, beside a GPU, the host's):
///
///     fma/scalar:f32, fma/scalar:f64   multiply-adds in registers, 2 operations each
///     exp/scalar:f32                   exponentials in registers
///     memory/access:read, :copy        an array that no cache holds
///     l2/access:read                   one that the L2 cache holds: 16 MiB of a GPU, 256 KiB a thread of a host
///     scratch/access:read              team scratch: shared memory of a GPU, 16 KiB of a host thread's L1 cache
///
/// Launches take some milliseconds; with `brief`, for smoke tests, a fraction of that, and they say little.
std::vector<CeilingEntry> ceilings(bool brief);

/// The roofs of the default execution space, measured here and now.
struct Roofs {
  double fma_f32 = 0;  ///< operations a second
  double fma_f64 = 0;
  double memory = 0;  ///< bytes a second
  double l2 = 0;
  double scratch = 0;
};

/// The best of three launches of each; throws `Error` where one computes something wrong.
Roofs measure_roofs(bool brief);

/// The same, told in the context of the JSON as "peak_…".
Roofs measure_roofs_into_context(bool brief);

}  // namespace octile::bench
