// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/spectrum.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

/// The seconds for the spectrum of a path if walks stop with a probability: the shortest of a few runs.
double seconds_of_path(std::int32_t vertices) {
  const Graph graph = bare("path", vertices, path_edges(vertices));
  const Stopping stopping(StoppingMeaning::probability, 0.05);
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    CHECK(spectrum_of(graph, stopping).size() == 1);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

}  // namespace

TEST_CASE("where walks stop with a probability, the time that a spectrum takes grows with the edges of its graph") {
  // With 16 times the vertices and edges a linear time grows 16 times, a quadratic one 256 times.
  CHECK(seconds_of_path(32'000) <= 80 * seconds_of_path(2'000));
}
