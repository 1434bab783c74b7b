// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "readers/read.hpp"

namespace octile::app {

/// The graphs of several files and folders of files, one after the other, as one
/// set: with progress, interruptible (throws `octile::Interrupted`), labels
/// unified over the set. `rule` joins the atoms of those formats that have them.
GraphFile load_graphs(const std::vector<std::string>& inputs, bool skip_invalid, bool quiet,
                      const SpatialRule& rule = {});

}  // namespace octile::app
