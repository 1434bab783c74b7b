// SPDX-License-Identifier: BSD-3-Clause
// Small files of every format, and expressions, with changes at random. The promises (docs/trust.md): a file is read, or it is refused
// in one line that names it; nothing crashes, nothing hangs.
//
//     OCTILE_HOSTILE_MUTANTS    mutants of each sample [1000]
//     OCTILE_HOSTILE_SEED       of the changes [1]
//     OCTILE_HOSTILE_KEEP       a folder where files are kept that break a promise; a crash or a hang leaves its file there, too
#include <doctest/doctest.h>

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <octile/error.hpp>
#include <octile/expression.hpp>

#include "common/sanitized.hpp"
#include "common/temporary_folder.hpp"
#include "hostile/judge.hpp"
#include "hostile/mutate.hpp"
#include "hostile/samples.hpp"

using namespace octile;
using test::fault_of_reading;
using test::Sample;

namespace {

std::uint64_t setting(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::uint64_t mutants() { return setting("OCTILE_HOSTILE_MUTANTS", test::sanitized ? 200 : 1000); }
std::uint64_t seed() { return setting("OCTILE_HOSTILE_SEED", 1); }

/// The file that is read, and where it is kept if the program ends there. Fixed, as a signal's handler reads them.
std::array<char, 4096> current = {};
std::array<char, 4096> kept = {};

void copy_name(std::array<char, 4096>& to, const std::string& name) {
  to.fill('\0');
  std::memcpy(to.data(), name.data(), std::min(name.size(), to.size() - 1));
}

extern "C" void keep_and_end(int number) {
  if (kept[0] != '\0') std::rename(current.data(), kept.data());
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// Watches what happens to files.
class Watch {
 public:
  Watch() {
    for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(number, keep_and_end);
  }
  Watch& operator=(Watch&&) = delete;  // neither copied nor moved
  ~Watch() {
    for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(number, SIG_DFL);
  }

  /// Before a file is read: within so many seconds it has to be done.
  static void begin(const std::string& path, const std::string& name) {
    constexpr unsigned longest = test::sanitized ? 600 : 120;
    copy_name(current, path);
    const char* const folder = std::getenv("OCTILE_HOSTILE_KEEP");
    copy_name(kept, folder != nullptr ? fmt::format("{}/{}", folder, name) : "");
    ::alarm(longest);
  }

  /// After it: keeps it if something is wrong.
  static void end(bool wrong) {
    ::alarm(0);
    if (!wrong || kept[0] == '\0') return;
    std::error_code ignored;
    std::filesystem::copy_file(current.data(), kept.data(), ignored);
  }
};

/// Writes and reads mutants of a sample.
void judge_mutants(const Sample& sample, const std::string& suffix, const std::string& data) {
  const test::TemporaryFolder folder;
  folder.write("a_graph_indicator.txt", "1\n1\n1\n");
  test::Random random(seed() * 1000003 + std::hash<std::string>{}(sample.file + suffix));
  for (std::uint64_t round = 0; round < mutants(); ++round) {
    const std::string path = folder.write(sample.file + suffix, test::mutated(data, random));
    Watch::begin(path, fmt::format("{}-{}-{}{}", seed(), round, sample.file, suffix));
    const std::string fault = fault_of_reading(path, round % 2 == 0);
    Watch::end(!fault.empty());
    CAPTURE(sample.file);
    CAPTURE(seed());
    CAPTURE(round);
    CHECK(fault.empty());
    if (!fault.empty()) MESSAGE(fault);
  }
}

}  // namespace

TEST_CASE("mutants of every format are read or refused in one line") {
  const Watch watch;
  for (const Sample& sample : test::samples) judge_mutants(sample, "", sample.text);
}

TEST_CASE("mutants of compressed files are read or refused in one line") {
  const Watch watch;
  const Sample* const lines = std::find_if(std::begin(test::samples), std::end(test::samples),
                                           [](const Sample& sample) { return sample.file.ends_with(".jsonl"); });
  const test::TemporaryFolder folder;
  std::ifstream file(folder.write_compressed("a.gz", lines->text), std::ios::binary);
  const std::string data{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  judge_mutants(*lines, ".gz", data);
  // In blocks of several kinds, of which a text that repeats itself is made.
  std::string many;
  for (int copy = 0; copy < 20; ++copy) many += lines->text;
  for (const std::string& text : {lines->text, many}) {
    std::string frame(ZSTD_compressBound(text.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), 3));
    judge_mutants(*lines, ".zst", frame);
  }
}

TEST_CASE("mutants of the indicator of a TUDataset are read or refused in one line") {
  const Watch watch;
  test::Random random(seed());
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a_A.txt", "1, 2\n2, 1\n3, 2\n2, 3\n");
  for (std::uint64_t round = 0; round < mutants(); ++round) {
    folder.write("a_graph_indicator.txt", test::mutated("1\n1\n1\n", random));
    folder.write("a_node_labels.txt", test::mutated("1\n2\n3\n", random));
    Watch::begin(folder.path("a_graph_indicator.txt"), fmt::format("{}-{}-a_graph_indicator.txt", seed(), round));
    const std::string fault = [&] {
      const std::string found = fault_of_reading(path, false);
      return found.starts_with("does not name the file: " + folder.path()) ? "" : found;
    }();
    Watch::end(!fault.empty());
    CAPTURE(fault);
    CHECK(fault.empty());
  }
}

TEST_CASE("mutants of expressions are read or refused in one line") {
  const Watch watch;
  constexpr std::array<std::string_view, 5> texts = {
      "1", "0.5*delta(element,0.5)+0.5*gaussian(\"a b\",0.1)", "delta(element,0.5)*(0.25*delta(charge,0.8)+0.75)",
      "convolution(ring_sizes, delta(_, 0.5))", "0.1*wendland(length,2)+0.2*rational(length,1,2)+0.3"};
  test::Random random(seed());
  const test::TemporaryFolder folder;
  for (std::uint64_t round = 0; round < mutants(); ++round) {
    const std::string text = test::mutated(texts[round % texts.size()], random);
    Watch::begin(folder.write("expression", text), fmt::format("{}-{}-expression", seed(), round));
    std::string fault;
    try {
      const Expression expression = Expression::parse(text);
      if (Expression::parse(expression.text()).attributes() != expression.attributes()) fault = "reads otherwise again";
    } catch (const Error& error) {
      if (std::string_view(error.what()).find('\n') != std::string_view::npos) fault = error.what();
    } catch (const std::exception& error) {
      fault = std::string("is no Error: ") + error.what();
    }
    Watch::end(!fault.empty());
    CAPTURE(text);
    CAPTURE(fault);
    CHECK(fault.empty());
  }
}
