// SPDX-License-Identifier: BSD-3-Clause
// Small files of all formats, cut off at every byte and with bytes changed at random. Each reads as graphs, or is refused with one
// line that names the file.
#include <doctest/doctest.h>

#include <zlib.h>

#include <set>
#include <string>
#include <vector>

#include <readers/read.hpp>

#include "apps/reading.hpp"
#include "common/graphs.hpp"
#include "hostile/samples.hpp"

using namespace octile;
using test::Sample;
using test::samples;

namespace {

/// Reads a file of this text; returns what is wrong with its refusal, or nothing.
std::string fault_of(const test::TemporaryFolder& folder, const Sample& sample, const std::string& text,
                     bool skip_invalid) {
  app::ReadOptions options;
  options.skip_invalid = skip_invalid;
  const std::string path = folder.write(sample.file, text);
  std::vector<std::string> messages;
  try {
    messages = app::read_graph_file(path, options).skipped;
  } catch (const Error& error) {
    messages.emplace_back(error.what());
  } catch (const std::exception& error) {
    return std::string("is no Error: ") + error.what();
  }
  for (const std::string& message : messages) {
    if (!message.starts_with(folder.path()) || message.find('\n') != std::string::npos) return message;
  }
  return "";
}

}  // namespace

TEST_CASE("there is a sample of every format, and it is read") {
  std::set<std::string_view> formats;
  for (const Sample& sample : samples) {
    CAPTURE(sample.file);
    const test::TemporaryFolder folder;
    folder.write("a_graph_indicator.txt", "1\n1\n1\n");
    app::ReadOptions options;
    CHECK(!app::read_graph_file(folder.write(sample.file, sample.text), options).graphs.empty());
    formats.insert(app::format_of(sample.file, "").suffix);
  }
  for (const app::Format& format : app::formats()) {
    const std::set<std::string_view> doubles = {".ent", ".edgelist"};
    CAPTURE(format.suffix);
    CHECK(formats.contains(format.suffix) != doubles.contains(format.suffix));
  }
}

TEST_CASE("files that are cut off read as graphs or are refused in one line with their name") {
  for (const Sample& sample : samples) {
    const test::TemporaryFolder folder;
    folder.write("a_graph_indicator.txt", "1\n1\n1\n");
    for (std::size_t left = 0; left < sample.text.size(); ++left) {
      const std::string fault = fault_of(folder, sample, sample.text.substr(0, left), left % 2 == 0);
      CAPTURE(sample.file);
      CAPTURE(left);
      CHECK(fault.empty());
    }
  }
}

TEST_CASE("files with bytes changed at random read as graphs or are refused in one line with their name") {
  constexpr std::string_view bytes = "0123456789 .,-+eE\t\n\r\"'<>[]{}&;#$ACNOcno()=@/\\_\0\x7F\xC3\xFF";
  test::Random random(20261123);
  for (const Sample& sample : samples) {
    const test::TemporaryFolder folder;
    folder.write("a_graph_indicator.txt", "1\n1\n1\n");
    for (int round = 0; round < 300; ++round) {
      std::string text = sample.text;
      for (std::int32_t change = 0; change <= random.below(3); ++change) {
        const auto place = static_cast<std::size_t>(random.below(static_cast<std::int32_t>(text.size())));
        const char byte = bytes[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(bytes.size())))];
        switch (random.below(3)) {
          case 0: text[place] = byte; break;
          case 1: text.insert(place, 1, byte); break;
          default: text.erase(place, 1 + static_cast<std::size_t>(random.below(5)));
        }
      }
      const std::string fault = fault_of(folder, sample, text, round % 2 == 0);
      CAPTURE(sample.file);
      CAPTURE(text);
      CHECK(fault.empty());
    }
  }
}
