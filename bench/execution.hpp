// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace octile::bench {

/// Keeps Kokkos initialized during its lifetime. Removes Kokkos' own arguments, such as --kokkos-num-threads=4, from
/// the command line.
class ExecutionScope {
 public:
  ExecutionScope(int& argument_count, char** arguments);
  ExecutionScope& operator=(ExecutionScope&&) = delete;  // neither copied nor moved
  ~ExecutionScope();
};

/// Waits for all work on all execution spaces.
void fence();

/// "4.7.0"
std::string kokkos_version();

/// The execution spaces of this build with the concurrency of each: "Serial (1), OpenMP (2)".
std::string execution_spaces();

/// How Kokkos was built and started, by its own report: "KEY: value; KEY: value".
std::string kokkos_configuration();

/// The device of the default execution space: a GPU's name, or the processor's model if it is the host.
std::string device_name();

}  // namespace octile::bench
