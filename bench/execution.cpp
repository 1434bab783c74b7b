// SPDX-License-Identifier: BSD-3-Clause
#include "execution.hpp"

#include <Kokkos_Core.hpp>

namespace octile::bench {
namespace {

template <class Space>
void add_space(std::string& list) {
  const std::string name = Space::name();
  if (list.find(name + " (") != std::string::npos) return;
  if (!list.empty()) list += ", ";
  list += name + " (" + std::to_string(Space().concurrency()) + ")";
}

}  // namespace

ExecutionScope::ExecutionScope(int& argument_count, char** arguments) { Kokkos::initialize(argument_count, arguments); }

ExecutionScope::~ExecutionScope() { Kokkos::finalize(); }

void fence() { Kokkos::fence("octile::bench::fence"); }

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

std::string execution_spaces() {
  std::string list;
  add_space<Kokkos::Serial>(list);
  add_space<Kokkos::DefaultHostExecutionSpace>(list);
  add_space<Kokkos::DefaultExecutionSpace>(list);
  return list;
}

}  // namespace octile::bench
