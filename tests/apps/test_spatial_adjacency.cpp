// SPDX-License-Identifier: BSD-3-Clause
// Atoms joined by distance, against all pairs.
#include <doctest/doctest.h>

#include <readers/spatial_adjacency.hpp>

#include <limits>
#include <vector>

#include "apps/spatial_oracle.hpp"
#include "common/graphs.hpp"
#include "common/message_of.hpp"

using namespace octile;
using app::Place;
using app::SpatialRule;

namespace {

void check_against_all_pairs(const std::vector<Place>& places, const SpatialRule& rule) {
  const app::SpatialAdjacency adjacency = app::spatial_adjacency(places, rule);
  test::check_joined(adjacency.edges, adjacency.lengths, test::all_pairs_joined(places, rule));
}

std::vector<Place> random_places(std::size_t count, double extent, std::uint64_t seed) {
  test::Random random(seed);
  std::vector<Place> places(count);
  for (Place& place : places) {
    for (double& coordinate : place) coordinate = extent * (random.uniform() - 0.5);
  }
  return places;
}

/// side³ places, one unit apart.
std::vector<Place> lattice(int side) {
  std::vector<Place> places;
  for (int x = 0; x < side; ++x) {
    for (int y = 0; y < side; ++y) {
      for (int z = 0; z < side; ++z) places.push_back({1.0 * x, 1.0 * y, 1.0 * z});
    }
  }
  return places;
}

}  // namespace

TEST_CASE("random places are joined as looking at all pairs joins them") {
  for (const std::size_t count : {1, 2, 7, 8, 9, 31, 33, 64, 65, 400}) {
    for (const double extent : {0.5, 12.0, 300.0}) {
      CAPTURE(count);
      CAPTURE(extent);
      check_against_all_pairs(random_places(count, extent, 7 * count), {4.0, 2.0});
      check_against_all_pairs(random_places(count, extent, 7 * count + 1), {0.3, 3.5});
    }
  }
}

TEST_CASE("places on the borders of cells find their neighbours, and those just at the cutoff are not joined") {
  for (const double cutoff : {1.0, 1.5, 2.0, 3.0}) {
    CAPTURE(cutoff);
    check_against_all_pairs(lattice(7), {cutoff, 2.0});
  }
  // Rounding would put these near places two cells apart if cells were not slightly wider than the cutoff.
  check_against_all_pairs({{-48392.1650617834, 0, 0}, {0.13493821659718452, 0, 0}, {0.2349382165971845, 0, 0}},
                          {0.1, 2.0});
}

TEST_CASE("the weight falls from 1 to nothing at the cutoff") {
  const std::vector<Place> places = {{0, 0, 0}, {3, 0, 0}, {0, 0, 4}};
  const app::SpatialAdjacency near = app::spatial_adjacency(places, {4.0, 2.0});
  REQUIRE(near.edges.size() == 1);
  CHECK(near.edges[0].weight == 1.0 / 16);
  CHECK(near.lengths[0] == 3);

  const app::SpatialAdjacency all = app::spatial_adjacency(places, {6.0, 0.0});
  REQUIRE(all.edges.size() == 3);
  for (const Edge& edge : all.edges) CHECK(edge.weight == 1);
}

TEST_CASE("places that coincide are joined with the weight 1 and the length 0") {
  const std::vector<Place> places(9, Place{1.5, -2, 0.25});
  const app::SpatialAdjacency adjacency = app::spatial_adjacency(places, {4.0, 2.0});
  CHECK(adjacency.edges.size() == 36);
  for (const Edge& edge : adjacency.edges) CHECK(edge.weight == 1);
  for (const double length : adjacency.lengths) CHECK(length == 0);
}

TEST_CASE("empty space between places costs nothing and joins nothing") {
  std::vector<Place> places = random_places(60, 8, 3);
  for (std::size_t k = 0; k < places.size(); ++k) places[k][k % 3] += k % 2 == 0 ? 9e8 : -9e8;
  check_against_all_pairs(places, {4.0, 2.0});
  check_against_all_pairs(places, {1e-3, 2.0});
  check_against_all_pairs(places, {1e9, 2.0});
}

TEST_CASE("a hundred thousand places take no longer than their edges") {
  constexpr std::size_t side = 47;
  const app::SpatialAdjacency adjacency = app::spatial_adjacency(lattice(side), {1.1, 2.0});
  CHECK(adjacency.edges.size() == 3 * side * side * (side - 1));
}

TEST_CASE("no places have no edges") { CHECK(app::spatial_adjacency({}, {4.0, 2.0}).edges.empty()); }

TEST_CASE("coordinates that are not finite or too large are refused with atom and value") {
  const auto message = [](double value) {
    const std::vector<Place> places = {{0, 0, 0}, {1, value, 0}};
    return test::message_of([&] { app::spatial_adjacency(places, {4.0, 2.0}); });
  };
  CHECK(message(std::numeric_limits<double>::quiet_NaN()).starts_with("atom 2: y is nan; allowed is a finite number"));
  CHECK(message(-std::numeric_limits<double>::infinity()).starts_with("atom 2: y is -inf"));
  CHECK(message(2e9).starts_with("atom 2: y is 2000000000"));
  CHECK(message(1e9) == "(no error)");
}
