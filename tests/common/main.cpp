// SPDX-License-Identifier: BSD-3-Clause
// The main function of all test programs: Kokkos is initialized before doctest runs and finalized after it.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include "common/skips.hpp"

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  doctest::Context context(argc, argv);
  return octile::test::exit_code(context.run());
}
