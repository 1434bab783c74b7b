// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/shared_cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace octile::app {
namespace {

/// This machine and the cores of it that this process may use, in a text that is the same for all processes with the same.
std::string cores() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0) name.front() = '\0';
  std::string text = name.data();
  text += ' ';
#ifdef __linux__
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // A machine of more cores than the set counts has no bound ones here.
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) text += CPU_ISSET(core, &allowed) ? '1' : '0';
  }
#endif
  return text;
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
