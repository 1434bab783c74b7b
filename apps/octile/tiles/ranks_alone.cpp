// SPDX-License-Identifier: BSD-3-Clause
#include "tiles/ranks.hpp"

#include <fmt/format.h>

#include "output/failures.hpp"

namespace octile::app {

class Ranks::Connection {};

Ranks::Ranks() {
  const Launch begun = launch();
  if (!begun.several) return;
  throw UsageError(
      fmt::format("{} began several processes, and this octile is built without MPI: each would write the same output; "
                  "allowed is one process, jobs with --tiles, or a build with -DOCTILE_ENABLE_MPI=ON",
                  begun.launcher));
}

Ranks::~Ranks() = default;

std::string Ranks::broadcast(const std::string& text) { return text; }
std::vector<std::string> Ranks::gather(const std::string& text) { return {text}; }
std::size_t Ranks::claim() { return next_++; }
void Ranks::send(const std::string&) {}
std::optional<Ranks::Message> Ranks::receive(bool) const { return std::nullopt; }

}  // namespace octile::app
