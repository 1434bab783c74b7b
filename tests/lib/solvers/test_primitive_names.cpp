// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <octile/base/bytes.hpp>
#include <octile/primitives.hpp>

#include "common/message_of.hpp"

using namespace octile;
using namespace octile::test;

TEST_CASE("every primitive is found by its name") {
  for (const Primitive& primitive : all_primitives()) {
    CAPTURE(primitive.name());
    CHECK(parse_primitive(primitive.name()) == primitive);
  }
  CHECK(parse_primitive("auto") == Primitive{});
  CHECK(parse_primitive("tiling-blocking") == Primitive{PrimitiveFamily::tiling_blocking, 8, 8});
}

TEST_CASE("all t and r of 4, 8, 16, 24 are there, and for tiling-blocking those where r divides t") {
  const auto count = [](PrimitiveFamily family) {
    return std::ranges::count(all_primitives(), family, &Primitive::family);
  };
  CHECK(count(PrimitiveFamily::shared_tiling) == 16);
  CHECK(count(PrimitiveFamily::register_blocking) == 16);
  CHECK(count(PrimitiveFamily::tiling_blocking) == 9);
  CHECK(count(PrimitiveFamily::adaptive) == 1);
}

TEST_CASE("a primitive that is unknown, or has parameters that do not fit, is refused with what is allowed") {
  CHECK(message_of([] { parse_primitive("tiles"); }).find("allowed are auto, naive, shared-tiling[:t,r]") !=
        std::string::npos);
  for (const char* name : {"tiling-blocking:8,16", "tiling-blocking:12,4", "shared-tiling:8", "shared-tiling:8,",
                           "shared-tiling:8,8x", "register-blocking:"}) {
    CAPTURE(name);
    CHECK(message_of([&] { parse_primitive(name); }).find("allowed are t and r in 4, 8, 16, 24") != std::string::npos);
  }
  CHECK(message_of([] { parse_primitive("rows:8,8"); }).find("takes no parameters") != std::string::npos);
}

TEST_CASE("steps to go without are words behind the name, for products of octiles alone") {
  const Primitive primitive = parse_primitive("adaptive:static,expanded");
  CHECK(primitive.steps == TileSteps{false, true, false});
  CHECK(primitive.name() == "adaptive:expanded,static");
  const Primitive dense = parse_primitive("tiling-blocking:warp");
  CHECK(dense == Primitive{PrimitiveFamily::tiling_blocking, 8, 8, {true, false, true}});
  CHECK(dense.name() == "tiling-blocking:8,8,warp");
  CHECK(parse_primitive(dense.name()) == dense);
  CHECK(message_of([] { parse_primitive("adaptive:fast"); }).find("allowed are expanded, warp, static") !=
        std::string::npos);
  CHECK(message_of([] { parse_primitive("adaptive:warp,"); }).find("allowed are") != std::string::npos);
  CHECK(message_of([] { parse_primitive("slices:warp"); }).find("takes no parameters") != std::string::npos);
  CHECK(message_of([] { parse_primitive("shared-tiling:8,8,warp"); }).find("takes no such") != std::string::npos);
}

TEST_CASE("a list of names is split where names begin") {
  CHECK(split_names("rows, tiling-blocking:8,8,adaptive:warp,static") ==
        std::vector<std::string>{"rows", "tiling-blocking:8,8", "adaptive:warp,static"});
  CHECK(split_names("").empty());
}

TEST_CASE("amounts of memory are read and written") {
  CHECK(parse_bytes("8GiB") == std::size_t(8) << 30);
  CHECK(parse_bytes("1.5 MiB") == 3 * (std::size_t(1) << 19));
  CHECK(parse_bytes("4K") == 4096);
  CHECK(parse_bytes("1000") == 1000);
  CHECK(format_bytes(512) == "512 B");
  CHECK(format_bytes(std::size_t(3) << 19) == "1.5 MiB");
  CHECK(format_bytes(1000) == "0.977 KiB");
  for (const char* text : {"", "-1", "0", "8 giga", "GiB", "1e30TiB", "nan"}) {
    CAPTURE(text);
    CHECK(message_of([&] { parse_bytes(text); }).find("no amount of memory") != std::string::npos);
  }
}
