// SPDX-License-Identifier: BSD-3-Clause
// How long several ranks are said to take together, against schedules that are written out by hand.
#include <doctest/doctest.h>

#include <tiles/shared_time.hpp>

#include <array>
#include <vector>

using octile::app::seconds_together;

TEST_CASE("one rank takes what it takes alone") {
  CHECK(seconds_together({1, 2, 3, 4}, std::array{20.0}) == doctest::Approx(20));
}

TEST_CASE("ranks of one speed share equal tiles, and the last ones may be idle") {
  CHECK(seconds_together(std::vector<double>(8, 5), std::array{8.0, 8.0}) == doctest::Approx(4));
  CHECK(seconds_together(std::vector<double>(9, 5), std::array{9.0, 9.0}) == doctest::Approx(5));
}

TEST_CASE("more ranks than tiles take as long as the costliest tile") {
  CHECK(seconds_together({1, 3}, std::array{4.0, 4.0, 4.0}) == doctest::Approx(3));
  CHECK(seconds_together({7}, std::array{2.0, 2.0}) == doctest::Approx(2));
}

TEST_CASE("a slow rank takes fewer tiles") {
  // The fast one takes 1 s a tile and the slow one 4: at 4 s there are four and one of them, at 8 s all ten.
  CHECK(seconds_together(std::vector<double>(10, 1), std::array{10.0, 40.0}) == doctest::Approx(8));
}

TEST_CASE("the costliest tile comes first, whatever the order of the tiles is") {
  // 3, 2, 2, 1 are shared as 3 + 1 and 2 + 2; in the order given 1 + 2 and 2 + 3 would take 5.
  CHECK(seconds_together({1, 2, 2, 3}, std::array{8.0, 8.0}) == doctest::Approx(4));
}

TEST_CASE("nothing to do takes no longer than by the fastest rank") {
  CHECK(seconds_together({}, std::array{0.5, 0.25}) == doctest::Approx(0.25));
}
