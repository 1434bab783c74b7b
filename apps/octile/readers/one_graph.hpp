// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "readers/atoms.hpp"
#include "readers/read.hpp"
#include "readers/text_file.hpp"

namespace octile::app {

/// A reader of a file that holds the atoms of one graph, which is named after the file without its suffix. What `parse`
/// throws, a library's exceptions too, refuses the graph as "FILE: reason", with the first line of what they say.
GraphReader one_graph(const std::string& path, const SpatialRule& rule, std::function<Atoms(TextFile&)> parse);

}  // namespace octile::app
