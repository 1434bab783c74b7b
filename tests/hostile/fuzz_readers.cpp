// SPDX-License-Identifier: BSD-3-Clause
// What test_mutations judges, of files that libFuzzer makes: it keeps those that reach code that no other has reached. The first
// byte of an input chooses the format. `make fuzz` builds and runs it, with clang.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "common/temporary_folder.hpp"
#include "hostile/judge.hpp"
#include "hostile/samples.hpp"

using namespace octile;

namespace {

const test::TemporaryFolder& folder() {
  static const test::TemporaryFolder only;
  return only;
}

/// Each format once, and one that is compressed.
constexpr std::size_t formats = std::size(test::samples) + 2;

std::string name_of(std::size_t format) {
  if (format < std::size(test::samples)) return test::samples[format].file;
  return format == std::size(test::samples) ? "a.jsonl.gz" : "a.jsonl.zst";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  static const std::string indicator = folder().write("a_graph_indicator.txt", "1\n1\n1\n");
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string path = folder().write(name_of(data[0] % formats), text);
  const std::string fault = test::fault_of_reading(path, size % 2 == 0);
  if (fault.empty()) return 0;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}

/// Writes the samples as inputs to begin with, if the environment says where.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const corpus = std::getenv("OCTILE_FUZZ_SAMPLES");
  if (corpus == nullptr) return 0;
  for (std::size_t k = 0; k < std::size(test::samples); ++k) {
    std::ofstream file(std::string(corpus) + "/" + test::samples[k].file, std::ios::binary);
    file << static_cast<char>(k) << test::samples[k].text;
  }
  return 0;
}
