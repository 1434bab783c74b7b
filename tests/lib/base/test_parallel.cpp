// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <octile/base/parallel.hpp>
#include <octile/error.hpp>
#include <octile/interruption.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
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

TEST_CASE("parallel work ends where its caller is asked to stop, and not before") {
  std::atomic<int> parts = 0;
  std::atomic<int> asked = 0;
  const std::function<bool()> go_on = [&asked] { return ++asked < 5; };
  // Only the calling thread is asked, so the others leave it some parts, however late it comes.
  const auto part = [&, caller = std::this_thread::get_id()](std::size_t, std::size_t) {
    while (std::this_thread::get_id() != caller && asked < 5) std::this_thread::yield();
    ++parts;
  };
  const auto work = [&part] { in_parallel(100000, 1, part); };
  {
    const InterruptionScope interruption(go_on);
    CHECK_THROWS_AS(work(), Interrupted);
  }
  CHECK(asked >= 5);
  CHECK(parts < 100000);

  parts = 0;
  CHECK_NOTHROW(work());
  CHECK(parts == 100000);
}

TEST_CASE("of scopes within one another each is asked, and each as long as it lives") {
  bool outer_goes_on = true;
  bool inner_goes_on = true;
  const std::function<bool()> outer = [&outer_goes_on] { return outer_goes_on; };
  const std::function<bool()> inner = [&inner_goes_on] { return inner_goes_on; };
  const std::function<bool()> nothing;
  CHECK(!asked_to_stop());
  {
    const InterruptionScope first(outer);
    const InterruptionScope silent(nothing);
    CHECK(!asked_to_stop());
    {
      const InterruptionScope second(inner);
      CHECK(!asked_to_stop());
      outer_goes_on = false;
      CHECK(asked_to_stop());
      outer_goes_on = true;
      inner_goes_on = false;
      CHECK_THROWS_AS(stop_if_asked(), Interrupted);
    }
    CHECK(!asked_to_stop());
    outer_goes_on = false;
    CHECK(asked_to_stop());
  }
  CHECK_NOTHROW(stop_if_asked());
}
