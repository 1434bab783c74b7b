// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "read.hpp"

namespace octile::app {

/// The graphs of several files, one after the other, as one set: with progress,
/// interruptible (throws `octile::Interrupted`), labels unified over the set.
GraphFile load_graphs(const std::vector<std::string>& paths, bool skip_invalid, bool quiet);

}  // namespace octile::app
