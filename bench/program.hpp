// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace octile::bench {

/// The options of a bench, "--name=value" each, that are not Google Benchmark's or Kokkos'.
class Options {
 public:
  /// `allowed` has the names of the options and their defaults. Throws `Error` for any other option.
  Options(std::span<char* const> arguments, std::map<std::string, std::string> allowed);

  const std::string& text(const std::string& name) const { return values_.at(name); }
  /// "a,b" as "a" and "b"; nothing for an empty text.
  std::vector<std::string> list(const std::string& name) const;
  /// The list as integers. Throws `Error` unless all are 0 or more.
  std::vector<int> numbers(const std::string& name) const;
  /// The option as one integer. Throws `Error` unless it is 0 or more.
  int number(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

/// The main function of a bench: starts Kokkos and Google Benchmark, calls `add_benchmarks` with the other arguments to
/// register benchmarks, and runs them, by default with three repetitions. The context of the JSON says what ran where. Returns
/// 0 if all were measured, 1 if one was not (for example because of a wrong answer), 2 with a line on stderr for an `Error`.
int run_program(const char* name, int count, char** values,
                const std::function<void(std::span<char* const>)>& add_benchmarks);

}  // namespace octile::bench
