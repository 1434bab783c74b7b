// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <octile/error.hpp>
#include <octile/lowerings.hpp>
#include <octile/primitives.hpp>

namespace octile::bench {
namespace {

/// "a,b:8,8,c" as a, b:8,8 and c: what starts with a digit belongs to the name before it.
std::vector<std::string> split_primitives(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const bool parameter = !part.empty() && std::isdigit(static_cast<unsigned char>(part.front())) != 0;
    if (parameter && !names.empty()) {
      names.back() += fmt::format(",{}", part);
    } else {
      names.emplace_back(part);
    }
  }
  return names;
}

}  // namespace

Arguments parse_arguments(int count, char** values) {
  Arguments arguments;
  if (const char* folder = std::getenv("OCTILE_BENCH_DATA")) arguments.data = folder;
  std::string_view primitives = "auto";
  std::string_view lowerings = "auto";
  for (int k = 1; k < count; ++k) {
    const std::string_view argument = values[k];
    const std::string_view value = argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--data=")) {
      arguments.data = value;
    } else if (argument.starts_with("--primitives=")) {
      primitives = value;
    } else if (argument.starts_with("--lowerings=")) {
      lowerings = value;
    } else if (argument.starts_with("--pairs=")) {
      const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), arguments.pairs);
      if (fault != std::errc() || end != value.data() + value.size() || arguments.pairs == 0) {
        throw Error(fmt::format("{}: allowed is an integer of 1 or more", argument));
      }
    } else {
      throw Error(
          fmt::format("{}: allowed are --data=DIR, --pairs=N, --primitives=A,B, --lowerings=A,B and what starts with "
                      "--benchmark_ or "
                      "--kokkos-",
                      argument));
    }
  }
  if (arguments.data.empty()) throw Error("no data: give --data=DIR, a folder that bench/prepare_data wrote");
  arguments.primitives = split_primitives(primitives);
  for (const std::string& primitive : arguments.primitives) parse_primitive(primitive);
  arguments.lowerings = split_primitives(lowerings);
  for (const std::string& lowering : arguments.lowerings) parse_lowering(lowering);
  return arguments;
}

}  // namespace octile::bench
