// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octile::bench {

/// The options of a bench, "--name=value" each, beside what Google Benchmark and Kokkos have taken off the command line.
class Options {
 public:
  /// `allowed` are the options' names with what they are where nothing is said. Throws `Error` for any other.
  Options(std::span<char* const> arguments, std::map<std::string, std::string> allowed);

  const std::string& text(const std::string& name) const { return values_.at(name); }
  /// "a,b" as "a" and "b"; nothing for an empty text.
  std::vector<std::string> list(const std::string& name) const;
  /// Throws `Error` unless all are integers of 0 or more.
  std::vector<int> numbers(const std::string& name) const;
  /// Throws `Error` unless it is one.
  int number(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

/// The main of a bench: starts Kokkos and Google Benchmark, has `add_benchmarks` register what the other arguments ask
/// for, and runs it, three repetitions unless told otherwise. The context of the JSON says what ran where. 0 where all is
/// measured, 1 where a benchmark was not (its answer was wrong, say), 2 with a line on stderr for an `Error`.
int run_program(const char* name, int count, char** values,
                const std::function<void(std::span<char* const>)>& add_benchmarks);

}  // namespace octile::bench
