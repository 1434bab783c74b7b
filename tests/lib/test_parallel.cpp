// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/error.hpp>
#include <octile/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "common/message_of.hpp"

using namespace octile;
using namespace octile::test;

TEST_CASE("every number is in one part, and no part is larger than asked for") {
  for (const std::size_t count : {0, 1, 7, 8, 9, 1000}) {
    for (const std::size_t part : {1, 8, 2000}) {
      CAPTURE(count);
      CAPTURE(part);
      std::vector<int> visits(count, 0);
      std::atomic<bool> small = true;
      in_parallel(count, part, [&](std::size_t begin, std::size_t end) {
        if (end - begin > part || begin >= end) small = false;
        for (std::size_t k = begin; k < end; ++k) ++visits[k];
      });
      CHECK(small);
      CHECK(std::ranges::count(visits, 1) == static_cast<std::ptrdiff_t>(count));
    }
  }
}

TEST_CASE("of several failures the first part's is thrown") {
  const auto fail = [](std::size_t begin, std::size_t) {
    if (begin >= 30) throw Error(std::to_string(begin));
  };
  for (int run = 0; run < 20; ++run) CHECK(message_of([&] { in_parallel(1000, 10, fail); }) == "30");
}

TEST_CASE("parallel work may be split further") {
  std::vector<int> visits(64, 0);
  in_parallel(8, 1, [&](std::size_t outer, std::size_t) {
    in_parallel(8, 1, [&](std::size_t inner, std::size_t) { ++visits[8 * outer + inner]; });
  });
  CHECK(std::ranges::count(visits, 1) == 64);
}
