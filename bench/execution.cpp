// SPDX-License-Identifier: BSD-3-Clause
#include "execution.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include <Kokkos_Core.hpp>

namespace octile::bench {
namespace {

template <class Space>
void add_space(std::string& list) {
  const std::string name = Space::name();
  if (list.find(name + " (") != std::string::npos) return;
  if (!list.empty()) list += ", ";
  list += name + " (" + std::to_string(Space().concurrency()) + ")";
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return trimmed(std::string_view(line).substr(line.find(':') + 1));
  }
  return "unknown";
}

}  // namespace

ExecutionScope::ExecutionScope(int& argument_count, char** arguments) { Kokkos::initialize(argument_count, arguments); }

ExecutionScope::~ExecutionScope() { Kokkos::finalize(); }

void fence() { Kokkos::fence("octile::bench::fence"); }

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
         std::to_string(KOKKOS_VERSION % 100);
}

std::string execution_spaces() {
  std::string list;
  add_space<Kokkos::Serial>(list);
  add_space<Kokkos::DefaultHostExecutionSpace>(list);
  add_space<Kokkos::DefaultExecutionSpace>(list);
  return list;
}

std::string kokkos_configuration() {
  std::stringstream whole;
  Kokkos::print_configuration(whole, true);
  std::string list;
  for (std::string line; std::getline(whole, line);) {
    const std::string entry = trimmed(line);
    // Leaves out headings and the host compiler's pragmas.
    if (entry.empty() || entry.ends_with(':') || entry.starts_with("KOKKOS_ENABLE_PRAGMA")) continue;
    list += (list.empty() ? "" : "; ") + entry;
  }
  return list;
}

std::string device_name() {
  std::stringstream whole;
  Kokkos::print_configuration(whole, true);
  for (std::string line; std::getline(whole, line);) {
    // Kokkos lists devices as "Kokkos::SPACE[ 0 ] NAME capability 9.0, …: Selected".
    const auto bracket = line.find("] ");
    if (line.find("Selected") == std::string::npos || bracket == std::string::npos) continue;
    const std::string name = line.substr(bracket + 2);
    return trimmed(name.substr(0, std::min(name.find(" capability"), name.find(" :"))));
  }
  return processor_name();
}

}  // namespace octile::bench
