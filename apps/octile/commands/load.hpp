// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "readers/read.hpp"

namespace octile::app {

/// The graphs of several files and folders, one after the other, as one
/// set with unified labels. Shows progress unless `quiet`, and warns in any case of atoms whose coordinates
/// seem to be in other units, and of those that were left out, unless another process that reads the same `warns`; throws
/// `octile::Interrupted` if interrupted.
GraphFile load_graphs(const std::vector<std::string>& inputs, ReadOptions options, bool quiet, bool warns = true);

}  // namespace octile::app
