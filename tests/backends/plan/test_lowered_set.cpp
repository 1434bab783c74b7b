// SPDX-License-Identifier: BSD-3-Clause
// What a plan knows of the numbers that an edge kernel reads.
#include <doctest/doctest.h>

#include <octile/plan/lowered_set.hpp>

#include <string>
#include <vector>

#include "common/graphs.hpp"

using namespace octile;
using namespace octile::test;

namespace {

plan::LoweredSet lowered(const std::vector<Graph>& graphs, const std::string& edge) {
  const KernelSpec kernel{Expression::parse("1"), Expression::parse(edge), {StoppingMeaning::weight, 0.5}};
  return plan::LoweredSet(SolverSetup{graphs, kernel});
}

}  // namespace

TEST_CASE("numbers are taken as distances in float from their middle only where float tells them apart") {
  const std::string sum = "0.2+0.3*gaussian(length,1)+0.4*gaussian(length,2)";
  const std::vector<Graph> near{labelled_path({1e9, 1e9 + 1, 1e9 + 12})};
  const std::vector<Graph> with_an_outlier{labelled_path({0, 1, 12, 1e9})};
  CHECK(lowered(near, sum).middle_edge_number() == 1e9 + 6);
  CHECK(lowered(near, sum).exponential_sum());
  CHECK_FALSE(lowered(with_an_outlier, sum).exponential_sum());
  CHECK(lowered(with_an_outlier, "0.2+0.3*gaussian(length,1e8)+0.4*gaussian(length,1e8)").exponential_sum());
  CHECK(lowered(near, "gaussian(length,1)").float_tells_apart(0.5));
  CHECK_FALSE(lowered(with_an_outlier, "gaussian(length,1)").float_tells_apart(0.5));
  CHECK_FALSE(lowered(near, "gaussian(length,1)").exponential_sum());
}
