// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/pairs/spectrum.hpp>

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

TEST_CASE("the bound of the closed form holds where walks are long") {
  // K of two edges is q / (2 − q) where q is a probability, whatever the weights.
  for (const double q : {0.5, 0.05, 0.0005, 5e-6}) {
    for (const double weight : {1.0, 0.083282284295797482, 0.3, 7e-5}) {
      const Graph edge = Graph::from_edges("edge", 2, {{0, 1, weight}});
      for (const bool keep_vectors : {false, true}) {
        const Spectrum spectrum = spectrum_of(edge, {StoppingMeaning::probability, q}, keep_vectors);
        const PairResult result = closed_form(spectrum, spectrum, {}, q, 1e-8);
        CAPTURE(q);
        CAPTURE(weight);
        const long double exact = static_cast<long double>(q) / (2 - static_cast<long double>(q));
        CHECK(std::abs(static_cast<double>((result.value - exact) / exact)) <= result.error_bound);
        CHECK(result.error_bound <= 1e-13 / q);
      }
    }
  }
}

TEST_CASE("where walks never end to rounding the closed form does not converge, and no bound is below 0") {
  const Graph edge = Graph::from_edges("edge", 2, {{0, 1, 0.3}});
  for (const double q : {1e-12, 1e-14, 1e-15, 1e-16, 1e-17, 1e-60}) {
    CAPTURE(q);
    for (const StoppingMeaning meaning : {StoppingMeaning::probability, StoppingMeaning::weight}) {
      for (const bool keep_vectors : {false, true}) {
        const Spectrum spectrum = spectrum_of(edge, {meaning, q}, keep_vectors);
        const PairResult result = closed_form(spectrum, spectrum, {}, q, 1e-2);
        CHECK(result.error_bound >= 0);
        if (meaning == StoppingMeaning::weight) continue;
        const long double exact = static_cast<long double>(q) / (2 - static_cast<long double>(q));
        const double error = std::abs(static_cast<double>((result.value - exact) / exact));
        CHECK((result.status == Status::breakdown || error <= result.error_bound));
        if (q < 1e-14) CHECK(result.status != Status::converged);
      }
    }
  }
}
