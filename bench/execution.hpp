// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace octile::bench {

/// Kokkos is initialized while it lives. Takes Kokkos' own arguments, such as --kokkos-num-threads=4, off the command
/// line.
class ExecutionScope {
 public:
  ExecutionScope(int& argument_count, char** arguments);
  ExecutionScope(const ExecutionScope&) = delete;
  ExecutionScope& operator=(const ExecutionScope&) = delete;
  ~ExecutionScope();
};

/// Waits for all work on all execution spaces.
void fence();

/// "4.7.0"
std::string kokkos_version();

/// The execution spaces of this build with what each can run at once: "Serial (1), OpenMP (2)".
std::string execution_spaces();

/// How Kokkos was built and started, as it tells it: "KEY: value; KEY: value".
std::string kokkos_configuration();

/// What the default execution space runs on, such as a GPU's name; the processor's model where that is the host.
std::string device_name();

}  // namespace octile::bench
