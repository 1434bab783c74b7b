// SPDX-License-Identifier: BSD-3-Clause
#include "output/failures.hpp"
#include "tiles/ranks.hpp"

namespace octile::app {

class Ranks::Connection {};

Ranks::Ranks() {
  if (!begun_with_others()) return;
  throw UsageError(
      "mpirun began several processes, and this octile is built without MPI; allowed is one process, or a build with "
      "-DOCTILE_ENABLE_MPI=ON");
}

Ranks::~Ranks() = default;

std::string Ranks::broadcast(const std::string& text) { return text; }
std::vector<std::string> Ranks::gather(const std::string& text) { return {text}; }
std::size_t Ranks::claim() { return next_++; }
void Ranks::send(const std::string&) {}
std::optional<Ranks::Message> Ranks::receive(bool) const { return std::nullopt; }

}  // namespace octile::app
