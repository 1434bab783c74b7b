// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <octile/error.hpp>
#include <octile/version.hpp>

#include "execution.hpp"
#include "reporters.hpp"

namespace octile::bench {
namespace {

int parse_number(const std::string& name, std::string_view text) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || number < 0) {
    throw Error(fmt::format("--{}: {} is none; allowed are integers of 0 or more", name, text));
  }
  return number;
}

void add_context() {
  benchmark::AddCustomContext("octile_version", OCTILE_VERSION_STRING);
  benchmark::AddCustomContext("kokkos_version", kokkos_version());
  benchmark::AddCustomContext("kokkos_configuration", kokkos_configuration());
  benchmark::AddCustomContext("execution_spaces", execution_spaces());
  benchmark::AddCustomContext("device", device_name());
  if (const char* commit = std::getenv("OCTILE_COMMIT")) benchmark::AddCustomContext("git_commit", commit);
  if (const char* clocks = std::getenv("OCTILE_CLOCKS")) benchmark::AddCustomContext("clocks", clocks);
}

/// The command line after defaults, which it can override. Only the median of the repetitions is displayed.
std::vector<char*> with_defaults(int count, char** values) {
  static char repetitions[] = "--benchmark_repetitions=3";
  static char display[] = "--benchmark_display_aggregates_only=true";
  std::vector<char*> all{values[0], repetitions, display};
  all.insert(all.end(), values + 1, values + count);
  all.push_back(nullptr);
  return all;
}

bool writes_file(std::span<char* const> values) {
  for (const char* value : values) {
    if (std::string_view(value).starts_with("--benchmark_out=")) return true;
  }
  return false;
}

int run(int count, char** values, const std::function<void(std::span<char* const>)>& add_benchmarks) {
  const ExecutionScope execution(count, values);
  const bool to_file = writes_file({values, static_cast<std::size_t>(count)});
  std::vector<char*> all = with_defaults(count, values);
  count = static_cast<int>(all.size()) - 1;
  benchmark::Initialize(&count, all.data());
  add_context();
  add_benchmarks(std::span(all).subspan(1, static_cast<std::size_t>(count) - 1));
  MedianReporter display;
  JsonReporter file;
  benchmark::RunSpecifiedBenchmarks(&display, to_file ? &file : nullptr);
  // Registered benchmarks may own Kokkos memory.
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return display.all_measured() ? 0 : 1;
}

}  // namespace

Options::Options(std::span<char* const> arguments, std::map<std::string, std::string> allowed)
    : values_(std::move(allowed)) {
  for (const char* argument : arguments) {
    const std::string_view text = argument;
    const auto equals = text.find('=');
    const auto found = text.starts_with("--") && equals != std::string_view::npos
                           ? values_.find(std::string(text.substr(2, equals - 2)))
                           : values_.end();
    if (found == values_.end()) {
      std::string names;
      for (const auto& [name, value] : values_) names += fmt::format("--{}={}, ", name, value);
      throw Error(fmt::format("{}: allowed are {}and what starts with --benchmark_ or --kokkos-", text, names));
    }
    found->second = text.substr(equals + 1);
  }
}

std::vector<std::string> Options::list(const std::string& name) const {
  std::vector<std::string> entries;
  std::string_view rest = text(name);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    entries.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return entries;
}

std::vector<int> Options::numbers(const std::string& name) const {
  std::vector<int> numbers;
  for (const std::string& entry : list(name)) numbers.push_back(parse_number(name, entry));
  return numbers;
}

int Options::number(const std::string& name) const { return parse_number(name, text(name)); }

int run_program(const char* name, int count, char** values,
                const std::function<void(std::span<char* const>)>& add_benchmarks) {
  try {
    return run(count, values, add_benchmarks);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
    return 2;
  }
}

}  // namespace octile::bench
