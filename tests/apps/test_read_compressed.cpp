// SPDX-License-Identifier: BSD-3-Clause
// Files compressed with gzip and zstd: whole, in several streams, longer than the buffers, damaged and cut off.
#include <doctest/doctest.h>

#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

#include <readers/read.hpp>

#include "apps/reading.hpp"

using namespace octile;
using test::contains;
using test::graphs_of;
using test::refusal;

namespace {

struct Way {
  const char* name;
  const char* file;
  std::string (*compress)(const std::string& text);
};

std::string by_gzip(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ifstream file(folder.write_compressed("text.gz", text), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string by_zstd(const std::string& text) {
  std::string data(ZSTD_compressBound(text.size()), '\0');
  data.resize(ZSTD_compress(data.data(), data.size(), text.data(), text.size(), 3));
  return data;
}

const Way ways[] = {{"gzip", "some.smi.gz", by_gzip}, {"zstd", "some.smi.zst", by_zstd}};

/// So many lines that neither they nor their compressed form fit into the buffers of 64 KiB.
std::string many_molecules(std::size_t count) {
  std::string text;
  std::uint64_t state = 1;
  for (std::size_t k = 0; k < count; ++k) {
    text += "C ";
    for (int letter = 0; letter < 1000; ++letter) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += static_cast<char>('a' + (state >> 33U) % 26);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("compressed data reads as it was, in one stream and in several, with another suffix too") {
  for (const Way& way : ways) {
    CAPTURE(way.name);
    CHECK(graphs_of(way.file, way.compress("C methane\n")).front().name() == "methane");
    CHECK(graphs_of(way.file, way.compress("C one\nC two\n") + way.compress("C three\n")).size() == 3);
    CHECK(graphs_of("plain.smi", way.compress("C methane\n")).size() == 1);
    CHECK(graphs_of(way.file, "C methane\n").size() == 1);  // not compressed at all
    const std::string text = many_molecules(500);
    const std::vector<Graph> graphs = graphs_of(way.file, way.compress(text));
    REQUIRE(graphs.size() == 500);
    CHECK(graphs.back().name() == text.substr(text.size() - 1001, 1000));
    CHECK(contains(refusal(way.file, way.compress("")), "holds no graph"));
  }
}

TEST_CASE("compressed data that is damaged or cut off is refused after the last whole line") {
  const std::string text = many_molecules(500);
  for (const Way& way : ways) {
    CAPTURE(way.name);
    const std::string data = way.compress(text);
    for (const std::size_t left : {data.size() - 1, data.size() - 9, data.size() / 2, std::size_t{5}}) {
      CAPTURE(left);
      const std::string message = refusal(way.file, data.substr(0, left));
      CHECK(message.starts_with(std::string(way.file) + ": the " + way.name + " data is damaged after line "));
      CHECK(contains(message, "it is cut off; allowed is a whole file"));
    }
    CHECK(contains(refusal(way.file, data.substr(0, 4) + std::string(100, '\xFF')), "data is damaged after line 0: "));
  }
}

TEST_CASE("what follows whole gzip data is more of it or padding by zeros, or is refused") {
  const std::string data = by_gzip("C methane\n");
  CHECK(graphs_of("some.smi.gz", data + std::string(512, '\0')).size() == 1);
  CHECK(graphs_of("some.smi.gz", data + by_gzip("CC ethane\n")).size() == 2);
  for (const std::string rest : {"CC ethane\n", "x", "\x1F", "\x1F\x8B"}) {
    CHECK(contains(refusal("some.smi.gz", data + rest), "gzip data is damaged after line 1"));
    std::string padded = data;
    padded.append(5, '\0').append(rest);
    CHECK(contains(refusal("some.smi.gz", padded), "something else follows where it ends"));
  }
}
