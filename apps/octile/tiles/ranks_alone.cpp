// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "output/failures.hpp"
#include "tiles/ranks.hpp"

namespace octile::app {

std::unique_ptr<Connection> join_by_mpi() {
  const Launch begun = launch();
  if (!begun.several) return nullptr;
  throw UsageError(
      fmt::format("{} began several processes, and this octile is built without MPI: each would write the same output; "
                  "allowed is one process, --devices, jobs with --tiles, or a build with -DOCTILE_ENABLE_MPI=ON",
                  begun.launcher));
}

}  // namespace octile::app
