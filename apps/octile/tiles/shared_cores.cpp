// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/shared_cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace octile::app {
namespace {

/// This machine, and the cores of it that this process may use, in a text that is the same for all processes with the same. Where that
/// is not known, no other process has this text.
std::string cores() {
  std::string machine;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> machine;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (machine.empty() || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    std::array<char, 256> name = {};
    ::gethostname(name.data(), name.size() - 1);
    return std::string(name.data()) + " " + std::to_string(::getpid());
  }
  machine += ' ';
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) machine += CPU_ISSET(core, &allowed) ? '1' : '0';
  return machine;
}

}  // namespace

std::size_t ranks_on_these_cores(Ranks& ranks) {
  const std::vector<std::string> all = ranks.gather(cores());
  std::vector<std::size_t> sharing;
  sharing.reserve(all.size());
  for (const std::string& one : all) sharing.push_back(static_cast<std::size_t>(std::ranges::count(all, one)));
  return nlohmann::json::parse(ranks.broadcast(nlohmann::json(sharing).dump())).at(ranks.rank()).get<std::size_t>();
}

}  // namespace octile::app
