// SPDX-License-Identifier: BSD-3-Clause
// Writes small sets of our own, nws and ba, with reference values, for a run of octile_bench_solve without other data.
//
// usage: octile_bench_write_sets FOLDER VERTICES GRAPHS
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>

#include "execution.hpp"
#include "synthetic.hpp"

int main(int count, char** values) {
  try {
    const octile::bench::ExecutionScope execution(count, values);
    if (count != 4) {
      fmt::print(stderr, "usage: octile_bench_write_sets FOLDER VERTICES GRAPHS\n");
      return 2;
    }
    octile::bench::write_synthetic_sets(values[1], std::atoi(values[2]), std::atoi(values[3]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "octile_bench_write_sets: {}\n", error.what());
    return 2;
  }
  return 0;
}
