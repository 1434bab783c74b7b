// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tiles/ranks.hpp"

namespace octile::app {

/// How many ranks may run on the same cores as this one, itself included: those of its machine that are bound to the same set of cores, or
/// to none. Collective.
std::size_t ranks_on_these_cores(Ranks& ranks);

}  // namespace octile::app
